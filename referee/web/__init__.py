"""What all pages share: language, theme, a safe start of the server; and the pages."""
