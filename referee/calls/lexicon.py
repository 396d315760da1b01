"""The words of calls. Russian words are given by lemma (pymorphy3 makes the forms), English ones and abbreviations as written.

A word has a kind (a terminal of `calls.lark`, or one of the kinds that `phrases.py` joins into balls) and a value.
Letters are lower case, «ё» is written «е» everywhere in this file.
"""

from __future__ import annotations

# --- Russian, by lemma and part of speech ---------------------------------------------------------------------------
ADJECTIVES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("белый", "беленький"), ("COLOUR", "white")),
    **dict.fromkeys(("желтый", "желтенький"), ("COLOUR", "yellow")),
    **dict.fromkeys(("красный", "красненький"), ("COLOUR", "red")),
    **dict.fromkeys(("черный", "черненький"), ("COLOUR", "black")),
    **dict.fromkeys(("свой", "мой", "собственный", "битковый"), ("OWNER", "own")),
    **dict.fromkeys(("чужой", "прицельный"), ("OWNER", "other")),
    **dict.fromkeys(("третий", "другой", "иной", "посторонний", "промежуточный"), ("OWNER", "any")),
    "левый": ("SIDE", "left"),
    "правый": ("SIDE", "right"),
    "дальний": ("END", "foot"),
    "ближний": ("END", "home"),
    "домашний": ("END", "home"),
    "угловой": ("CLASS", "corner"),
    **dict.fromkeys(("средний", "серединный", "центральный"), ("CLASS", "middle")),
    **dict.fromkeys(("любой", "всякий", "разный"), ("CLASS", "any")),
    **dict.fromkeys(("короткий", "длинный", "торцевой", "передний", "задний", "противоположный", "лицевой"), ("CADJ", "")),
    "боковой": ("CADJ", "middle"),  # «боковая луза», «боковой борт»
    **dict.fromkeys(("однобортный", "однобортовый"), ("CUSHN", "1")),
    **dict.fromkeys(("двухбортный", "двубортный", "двухбортовый"), ("CUSHN", "2")),
    "дуплетный": ("CUSHN", "1"),
    "бортовой": ("BORT", ""),
    **dict.fromkeys(("трехбортный", "трехбортовый", "трибортный"), ("CUSHN", "3")),
    "тройной": ("NUM", "3"),
    "двойной": ("NUM", "2"),
    "карамбольный": ("CAROM", ""),
    "комбинированный": ("COMB", ""),
    "комбинационный": ("COMB", ""),
    "прямой": ("STRAIGHT", ""),
    "прямолетящий": ("STRAIGHT", ""),
    **dict.fromkeys(("дополнительный", "добавочный", "лишний"), ("EXTRA", "")),
    "один": ("NUM", "1"),
}

NOUNS: dict[str, tuple[str, str]] = {
    "шар": ("BALLNOUN", ""),
    "шарик": ("BALLNOUN", ""),
    **dict.fromkeys(("биток", "свояк"), ("BALLNOUN", "own")),
    "чужак": ("BALLNOUN", "other"),
    **dict.fromkeys(("фишка", "кегля"), ("BALLNOUN", "black")),
    "угол": ("CLASS", "corner"),
    "уголок": ("CLASS", "corner"),
    **dict.fromkeys(("середина", "средина", "середка", "центр", "серединка"), ("CLASS", "middle")),
    "луза": ("LUZA", ""),
    "лузочка": ("LUZA", ""),
    "карман": ("LUZA", ""),
    "борт": ("BORT", ""),
    "бортик": ("BORT", ""),
    "дуплет": ("CUSHN", "1"),
    "дублет": ("CUSHN", "1"),
    **dict.fromkeys(("триплет", "двухбортник"), ("CUSHN", "2")),
    "триборт": ("TRIBORT", ""),
    "трехборт": ("TRIBORT", ""),
    "трехбортник": ("TRIBORT", ""),
    "трехбортовик": ("TRIBORT", ""),
    "карамболь": ("CAROM", ""),
    "карамболяж": ("CAROM", ""),
    "комбинация": ("COMB", ""),
    **dict.fromkeys(("перескок", "прыжок", "перепрыг", "скачок", "джамп", "перелет"), ("JUMP", "")),
    **dict.fromkeys(("соударение", "касание", "контакт", "столкновение", "задевание"), ("CONTACT", "")),
    **dict.fromkeys(("губа", "губка", "край"), ("JAW", "")),
}

NUMERALS: dict[str, str] = {
    "два": "2", "оба": "2", "три": "3", "четыре": "4", "пять": "5", "шесть": "6", "семь": "7", "восемь": "8", "девять": "9", "десять": "10",
}  # fmt: skip

# Forms that do not inflect, and abbreviations (written with or without the dot).
FIXED: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("от", "ото", "после"), ("OFF", "")),
    **dict.fromkeys(("о", "об", "обо"), ("AGAINST", "")),
    **dict.fromkeys(("с", "со"), ("WITHFROM", "")),
    **dict.fromkeys(("в", "во", "на", "по", "к", "ко"), ("TO", "")),
    **dict.fromkeys(("через", "сквозь", "чрез"), ("THROUGH", "")),
    **dict.fromkeys(("над", "надо", "поверх"), ("OVER", "")),
    "без": ("WITHOUT", ""),
    **dict.fromkeys(("и", "а", "плюс", "затем", "потом", "также", "еще", "да"), ("AND", "")),
    **dict.fromkeys(("слева", "налево", "влево"), ("ADVERB", "left")),
    **dict.fromkeys(("справа", "направо", "вправо"), ("ADVERB", "right")),
    **dict.fromkeys(("вдали", "вдаль"), ("ADVERB", "foot")),
    **dict.fromkeys(("вблизи",), ("ADVERB", "home")),
    **dict.fromkeys(("перепрыгнув", "перепрыгивая", "перепрыгиваю", "перепрыгнуть", "перепрыгну"), ("LEAP", "")),
    **dict.fromkeys(("перескочив", "перескакивая", "перескочить", "перескакиваю", "прыгаю", "прыгая", "прыгнуть", "прыгну"), ("JUMP", "")),
    **dict.fromkeys(("отразившись", "отскочив", "отражением", "отскоком", "отражаясь", "рикошетом"), ("FILLER", "")),
    **dict.fromkeys(("карамбо", "карамб", "карам", "кар"), ("CAROM", "")),
    **dict.fromkeys(("комб", "комбо", "комбиком"), ("COMB", "")),
    **dict.fromkeys(("напрямую", "напрямик", "прямо", "впрямую"), ("STRAIGHT", "")),
    **dict.fromkeys(("доп", "дополн", "допом"), ("EXTRA", "")),
    **dict.fromkeys(("соуд", "соудар", "кас"), ("CONTACT", "")),
    **dict.fromkeys(("уг", "угл"), ("CLASS", "corner")),
    **dict.fromkeys(("сер", "серед", "сред", "ср", "центр", "цент"), ("CLASS", "middle")),
    **dict.fromkeys(("лев", "л", "лево"), ("SIDE", "left")),
    **dict.fromkeys(("прав", "пр", "п", "право"), ("SIDE", "right")),
    **dict.fromkeys(("дал", "дальн", "д"), ("END", "foot")),
    **dict.fromkeys(("бл", "ближ", "ближн"), ("END", "home")),
    **dict.fromkeys(("бор", "борт", "бт"), ("BORT", "")),
    **dict.fromkeys(("луз", "лз"), ("LUZA", "")),
    **dict.fromkeys(("дупл", "круазе"), ("CUSHN", "1")),
    "триб": ("TRIBORT", ""),
    **dict.fromkeys(("э", "ээ", "эээ", "эм", "мм", "ммм", "гм", "хм", "короче", "типа", "ага"), ("FILLER", "")),
}  # fmt: skip

# Two letters for a corner or a middle pocket: «лд угол», «FL».
SHORTHAND: dict[str, tuple[tuple[str, str], ...]] = {
    **{a + b: (("SIDE", side), ("END", end)) for a, side in (("л", "left"), ("п", "right")) for b, end in (("д", "foot"), ("б", "home"))},
    **{b + a: (("SIDE", side), ("END", end)) for a, side in (("л", "left"), ("п", "right")) for b, end in (("д", "foot"), ("б", "home"))},
    **{b + a: (("SIDE", side), ("END", end)) for a, side in (("l", "left"), ("r", "right")) for b, end in (("f", "foot"), ("n", "home"))},
    **{a + b: (("SIDE", side), ("END", end)) for a, side in (("l", "left"), ("r", "right")) for b, end in (("f", "foot"), ("n", "home"))},
    **{
        word: (("SIDE", side), ("CLASS", "middle"))
        for side, words in (("left", "лс сл ml lm"), ("right", "пс сп mr rm"))
        for word in words.split()
    },
}
del SHORTHAND["бл"]  # ближний

# Abbreviated balls: no case to be seen, so they stand as in the nominative.
SHORT_BALLS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("бел", "б"), ("COLOUR", "white")),
    **dict.fromkeys(("желт", "жел", "жлт", "ж"), ("COLOUR", "yellow")),
    **dict.fromkeys(("красн", "крас", "кр"), ("COLOUR", "red")),
    **dict.fromkeys(("черн", "чер", "чр", "ч"), ("COLOUR", "black")),
    **dict.fromkeys(("св", "бит"), ("OWNER", "own")),
    **dict.fromkeys(("чуж", "приц"), ("OWNER", "other")),
    "ш": ("BALLNOUN", ""),
}

_FILLERS_RU = """я мы играть сыграть заказывать заказать заказ пожалуйста так ну быть бить ударить удар забивать забить положить класть
пробовать попробовать хотеть давать значит тогда это этот итак объявлять объявить вот судья внимание делать сделать тут
здесь просто брать взять такой резать резаный чисто аккуратно тонко плотно тихо мягко сильно накат оттяжка винт резка
подрезка клапштос тонкий чистый мягкий тихий идти пойти отправлять отправить загонять загнать сначала заказной хороший
ладно теперь мочь надо нужно собираться стараться постараться говорить называть лететь падать упасть катить катиться
прокатить исполнять исполнить выполнять выполнить разыгрывать проводить провести целиться попадать попасть бросать
послать посылать вести завести закатить закатывать рука рикошет отражение отскок опять снова обычный следующий уважаемый
товарищ пусть партия следовать план тоже именно вколотить вогнать вгонять засадить заложить закладывать уложить отыграть
доиграть добить добивать ход заходить зайти крутить закрутить тянуть оттянуть оттягивать накатывать накатить катать толкать
толкнуть откат подкрутка"""
KNOCK_LEMMAS = frozenset(("сбить", "сбивать", "выбить", "выбивать", "повалить", "свалить"))  # «сбить фишку» is «по фишке»
FILLER_LEMMAS = frozenset(_FILLERS_RU.split())

_THREE = ("три", "трех", "трем", "тремя", "3")
_OR_MORE = (("и", "более"), ("и", "больше"), ("или", "более"), ("или", "больше"))

_STROKES = "накатом откатом оттяжкой винтом подкруткой резкой подрезкой клапштосом отражением отскоком рикошетом"
_SPINS = ("нижним", "верхним", "правым", "левым", "боковым", "сильным")

# Two to five words that mean one thing (after normalisation); the value replaces them.
PHRASES_RU: dict[tuple[str, ...], tuple[str, str]] = {
    ("мой", "заказ"): ("FILLER", ""),
    ("мой", "ход"): ("FILLER", ""),
    ("по", "борту"): ("FILLER", ""),
    ("вдоль", "борта"): ("FILLER", ""),
    ("по", "прямой"): ("STRAIGHT", ""),
    ("от", "дома"): ("FILLER", ""),
    ("у", "дома"): ("END", "home"),
    ("к", "дому"): ("END", "home"),
    ("в", "доме"): ("END", "home"),
    ("из", "дома"): ("FILLER", ""),
    ("с", "рук"): ("FILLER", ""),
    ("с", "руки"): ("FILLER", ""),
    # A pot knows one, two, and three or more cushions: «двух и более» is no call.
    **{(three, *more): ("NUM", "3") for three in _THREE for more in _OR_MORE},
    **{("не", "менее", three): ("NUM", "3") for three in _THREE},
    **{(three, "бортов", *more): ("CUSHN", "3") for three in _THREE for more in _OR_MORE},
    ("куда", "угодно"): ("ANYWHERE", ""),
    ("куда", "нибудь"): ("ANYWHERE", ""),
    ("куда", "попало"): ("ANYWHERE", ""),
    ("все", "равно", "куда"): ("ANYWHERE", ""),
    ("какую", "угодно"): ("CLASS", "any"),
    ("через", "весь", "стол"): ("FILLER", ""),
    **{("по", side, "борту"): ("FILLER", "") for side in ("левому", "правому", "длинному", "короткому", "дальнему", "ближнему")},
    ("от", "меня"): ("FILLER", ""),
    ("от", "нас"): ("FILLER", ""),
    ("от", "себя"): ("FILLER", ""),
    **{(*with_, side, spin): ("FILLER", "") for with_ in ((), ("с",)) for side in _SPINS for spin in ("боковиком", "винтом", "вращением")},
    **{(*with_, "боковиком"): ("FILLER", "") for with_ in ((), ("с",))},
    ("туда", "же"): ("SAME", ""),
    ("в", "ту", "же"): ("SAME", ""),
    ("в", "ту", "же", "лузу"): ("SAME", ""),
    ("в", "ту", "же", "самую"): ("SAME", ""),
    ("в", "ту", "же", "самую", "лузу"): ("SAME", ""),
    ("в", "тот", "же", "угол"): ("SAME", ""),
    ("вместе", "с"): ("AND", ""),
    ("а", "также"): ("AND", ""),
    ("да", "еще"): ("AND", ""),
    ("и", "еще"): ("AND", ""),
    ("по", "левой", "стороне"): ("ADVERB", "left"),
    ("по", "правой", "стороне"): ("ADVERB", "right"),
    ("с", "левой", "стороны"): ("ADVERB", "left"),
    ("с", "правой", "стороны"): ("ADVERB", "right"),
    **{("с", how): ("FILLER", "") for how in _STROKES.split()},
    ("с", "помощью"): ("BY", ""),
    ("при", "помощи"): ("BY", ""),
    ("на", "резку"): ("FILLER", ""),
    ("три", "борт"): ("TRIBORT", ""),
    ("трех", "бортный"): ("CUSHN", "3"),
    ("трех", "бортовый"): ("CUSHN", "3"),
}

# --- English --------------------------------------------------------------------------------------------------------
_FILLERS_EN = """the a an of i im i'm call calling play playing please shot pot potting sink sinking put going go is this that for it
will be ill make making try trying say so ok okay me want would like take taking we now judge referee sir called just
cleanly gonna am attempt attempting shoot shooting send sending drive driving goes ricochet rebound bouncing reflected
potted hand cut cutting draw follow stun thin soft softly slow uh um er erm hmm"""
ENGLISH: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("white", "whites", "wht", "wh", "w"), ("COLOUR", "white")),
    **dict.fromkeys(("yellow", "yellows", "ylw", "yel", "yell", "y"), ("COLOUR", "yellow")),
    **dict.fromkeys(("red", "reds", "rd", "r"), ("COLOUR", "red")),
    **dict.fromkeys(("black", "blacks", "blk", "bk", "pin", "pins", "skittle", "skittles"), ("COLOUR", "black")),
    **dict.fromkeys(("own", "my", "mine"), ("OWNER", "own")),
    **dict.fromkeys(("cueball", "cb", "striker"), ("BALLNOUN", "own")),
    **dict.fromkeys(("other", "others", "opponent", "opponents", "foreign"), ("OWNER", "other")),
    **dict.fromkeys(("ob",), ("BALLNOUN", "other")),
    **dict.fromkeys(("third", "another", "any"), ("OWNER", "any")),
    **dict.fromkeys(("ball", "balls"), ("BALLNOUN", "")),
    **dict.fromkeys(("left", "l", "lt", "lhs"), ("SIDE", "left")),
    **dict.fromkeys(("right", "rt", "rhs"), ("SIDE", "right")),
    **dict.fromkeys(("far", "foot", "farther", "further", "farthest"), ("END", "foot")),
    **dict.fromkeys(("near", "home", "nearest", "nearer", "close", "house"), ("END", "home")),
    **dict.fromkeys(("corner", "corners", "cnr", "crn", "corn"), ("CLASS", "corner")),
    **dict.fromkeys(("middle", "mid", "centre", "center", "central", "side", "middles"), ("CLASS", "middle")),
    **dict.fromkeys(("pocket", "pockets", "pkt", "hole", "pock"), ("LUZA", "")),
    **dict.fromkeys(("anywhere", "wherever"), ("ANYWHERE", "")),
    **dict.fromkeys(("cushion", "cushions", "rail", "rails", "bank", "banks", "cush", "banked", "banking", "cus", "wall", "walls", "board",
                     "railed"), ("BORT", "")),
    **dict.fromkeys(("double", "doubled", "doublet"), ("CUSHN", "1")),
    "twice": ("CUSHN", "2"),
    "thrice": ("CUSHN", "3"),
    **dict.fromkeys(("long", "short", "end", "top", "bottom"), ("CADJ", "")),
    **dict.fromkeys(("carom", "caroms", "caroming", "carrom", "cannon", "billiard", "carambole", "carombole"), ("CAROM", "")),
    **dict.fromkeys(("combination", "combo", "combi", "comb", "plant", "combinations"), ("COMB", "")),
    **dict.fromkeys(("jump", "jumped", "jumps", "leap", "hop", "hopping", "leaping"), ("JUMP", "")),
    "jumping": ("LEAP", ""),
    **dict.fromkeys(("knock", "knocks", "knocking"), ("KNOCK", "")),
    "cross": ("CROSS", ""),
    **dict.fromkeys(("contact", "contacts", "collision", "collisions", "touch", "touches", "kiss", "kisses", "hit", "hits",
                     "hitting"),
                    ("CONTACT", "")),
    **dict.fromkeys(("extra", "additional", "added", "add", "more", "addl"), ("EXTRA", "")),
    **dict.fromkeys(("jaw", "jaws", "lip", "knuckle"), ("JAW", "")),
    **dict.fromkeys(("straight", "direct", "directly", "clean", "cleanly"), ("STRAIGHT", "")),
    **dict.fromkeys(("off", "from", "after"), ("OFF", "")),
    **dict.fromkeys(("by", "using"), ("BY", "")),
    **dict.fromkeys(("with",), ("WITH", "")),
    **dict.fromkeys(("without", "no"), ("WITHOUT", "")),
    **dict.fromkeys(("into", "in", "to", "onto", "on", "at", "against", "upon", "towards"), ("TO", "")),
    **dict.fromkeys(("via", "through"), ("THROUGH", "")),
    **dict.fromkeys(("over", "across", "above"), ("OVER", "")),
    **dict.fromkeys(("and", "plus", "then", "also", "n"), ("AND", "")),
    **dict.fromkeys(_FILLERS_EN.split(), ("FILLER", "")),
    "one": ("NUM", "1"), "two": ("NUM", "2"), "three": ("NUM", "3"), "four": ("NUM", "4"), "five": ("NUM", "5"), "six": ("NUM", "6"),
    "seven": ("NUM", "7"), "eight": ("NUM", "8"), "nine": ("NUM", "9"), "ten": ("NUM", "10"), "single": ("NUM", "1"),
    "triple": ("NUM", "3"),
    "both": ("NUM", "2"),
}  # fmt: skip

_INTO = (*((into, *the) for into in ("in", "into", "to") for the in (("the",), ())), ("the",), ())
PHRASES_EN: dict[tuple[str, ...], tuple[str, str]] = {
    ("cue", "ball"): ("BALLNOUN", "own"),
    ("cue",): ("BALLNOUN", "own"),
    ("object", "ball"): ("BALLNOUN", "other"),
    ("object", "balls"): ("BALLNOUN", ""),
    ("object",): ("BALLNOUN", "other"),
    ("target", "ball"): ("BALLNOUN", "other"),
    ("his", "ball"): ("BALLNOUN", "other"),
    ("any", "other"): ("OWNER", "any"),
    **{
        (end, "end"): ("END", place)
        for end, place in (("far", "foot"), ("foot", "foot"), ("near", "home"), ("home", "home"), ("house", "home"))
    },
    **{("with", how): ("FILLER", "") for how in ("draw", "follow", "stun", "spin", "english", "screw", "topspin", "backspin")},
    ("double", "bank"): ("CUSHN", "2"),
    ("let", "me"): ("FILLER", ""),
    ("a", "couple", "of"): ("NUM", "2"),
    ("couple", "of"): ("NUM", "2"),
    ("ball", "contact"): ("CONTACT", ""),
    ("ball", "contacts"): ("CONTACT", ""),
    ("different",): ("CLASS", "any"),
    ("my", "call"): ("FILLER", ""),
    ("double", "call"): ("FILLER", ""),
    ("from", "hand"): ("FILLER", ""),
    ("ball", "in", "hand"): ("FILLER", ""),
    **{(three, "or", "more"): ("NUM", "3") for three in ("three", "3")},
    **{(three, noun, "or", "more"): ("CUSHN", "3") for three in ("three", "3") for noun in ("cushions", "rails", "banks")},
    ("in", "off"): ("OFF", ""),
    ("kiss", "off"): ("OFF", ""),
    ("kissing", "off"): ("OFF", ""),
    ("on", "to"): ("TO", ""),
    ("in", "to"): ("TO", ""),
    ("off", "of"): ("OFF", ""),
    ("along", "the", "cushion"): ("FILLER", ""),
    ("along", "the", "rail"): ("FILLER", ""),
    **{(*into, "same", noun): ("SAME", "") for into in _INTO for noun in ("pocket", "corner", "hole")},
    ("there", "too"): ("SAME", ""),
    ("left", "hand"): ("SIDE", "left"),
    ("right", "hand"): ("SIDE", "right"),
    ("left", "hand", "side"): ("SIDE", "left"),
    ("right", "hand", "side"): ("SIDE", "right"),
    ("followed", "by"): ("AND", ""),
    ("as", "well", "as"): ("AND", ""),
    ("driven", "by"): ("BY", ""),
    ("driven", "in", "by"): ("BY", ""),
    ("by", "means", "of"): ("BY", ""),
}
