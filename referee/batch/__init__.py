"""Many videos in one run, on one machine or many: `poedinok batch`.

    inputs -> probe -> cameras -> units -> engine (local | ray) -> published folders, ledger

The engines only carry jobs to workers and outcomes back (`jobs`, `worker`, `local`, `ray_engine`). What is to be done, what
is finished and where results go is decided by the driver alone (`run`, `ledger`, `folders`), so results do not depend on
the engine or on the number of workers. Only the driver changes DIR: a worker that dies leaves a scratch folder, no result.
"""
