-- Names and meanings are those of journals (schema/outcome.json): a column is called like its
-- member, units are in the names, and what a journal does not say is NULL.

PRAGMA application_id = 1466985835;  -- "Wpmk"
PRAGMA user_version = 1;             -- of these tables

CREATE TABLE run (                   -- of check or bench; a journal may hold several
  id INTEGER,
  file TEXT NOT NULL,                -- the journal
  number INTEGER NOT NULL,           -- of the run in it, from 1
  verb TEXT NOT NULL,                -- check, bench
{{&run}}
{{&end}}
                                     -- NULL from `passed` on: the run was killed, or goes on
  PRIMARY KEY (id)
);

CREATE TABLE result (                -- of a case
  id INTEGER,
  run_id INTEGER NOT NULL REFERENCES run (id),
  number INTEGER NOT NULL,           -- in the run, from 1
{{&result}}
  PRIMARY KEY (id)
);
CREATE INDEX result_run ON result (run_id);
CREATE INDEX result_case ON result (case_id);

CREATE TABLE axis (                  -- of a case, in the suite's order
  result_id INTEGER NOT NULL REFERENCES result (id),
  position INTEGER NOT NULL,         -- from 1
  name TEXT NOT NULL,
  label TEXT,                        -- of the value in the case id
  text TEXT NOT NULL,                -- the value: 1048576, -0.5, float32, True
  number REAL,                       -- the same as a number; NULL of a text
  PRIMARY KEY (result_id, position)
) WITHOUT ROWID;

CREATE TABLE series (                -- times of a case in one mode
  id INTEGER,
  result_id INTEGER NOT NULL REFERENCES result (id),
  mode TEXT NOT NULL,                -- cold, hot, cold graph, hot graph, upload, download …
{{&series}}
  PRIMARY KEY (id)
);
CREATE INDEX series_result ON series (result_id);

CREATE TABLE process (               -- that took samples of a series, in their order
  series_id INTEGER NOT NULL REFERENCES series (id),
  number INTEGER NOT NULL,           -- from 1
{{&process}}
  PRIMARY KEY (series_id, number)
) WITHOUT ROWID;

CREATE TABLE sample (                -- only with --samples
  series_id INTEGER NOT NULL REFERENCES series (id),
  number INTEGER NOT NULL,           -- from 1, in the order of time, process by process
  seconds REAL NOT NULL,
  PRIMARY KEY (series_id, number)
) WITHOUT ROWID;

CREATE TABLE kernel (                -- of each launch of a case that was timed
  result_id INTEGER NOT NULL REFERENCES result (id),
  number INTEGER NOT NULL,           -- from 1
{{&kernel}}
  PRIMARY KEY (result_id, number)
) WITHOUT ROWID;

CREATE TABLE counter (
  result_id INTEGER NOT NULL REFERENCES result (id),
  launch INTEGER,                    -- of `check --counters`, from 1; NULL of bench: all launches
  kernel TEXT,
  step TEXT,
  name TEXT NOT NULL,                -- ptx_thread_instructions, global_load_bytes …
  value INTEGER NOT NULL
);
CREATE INDEX counter_result ON counter (result_id, name);

CREATE TABLE output (                -- that was compared
  result_id INTEGER NOT NULL REFERENCES result (id),
  number INTEGER NOT NULL,           -- from 1
{{&output}}
  PRIMARY KEY (result_id, number)
) WITHOUT ROWID;

CREATE TABLE finding (               -- a mistake that the device found (schema/report.json)
  result_id INTEGER NOT NULL REFERENCES result (id),
  number INTEGER NOT NULL,           -- from 1
  kind TEXT,                         -- illegal_address, race, uninitialised …
  severity TEXT,                     -- error, warning
  kernel TEXT,
  argument TEXT,
  file TEXT,
  line INTEGER,
  message TEXT,
  record TEXT NOT NULL,              -- all of it, as JSON
  PRIMARY KEY (result_id, number)
) WITHOUT ROWID;

CREATE TABLE notice (                -- reported, not judged
  result_id INTEGER NOT NULL REFERENCES result (id),
  number INTEGER NOT NULL,           -- from 1
  text TEXT NOT NULL,
  PRIMARY KEY (result_id, number)
) WITHOUT ROWID;

CREATE VIEW history AS               -- every time, and the run that it is of
SELECT result.suite, result.case_id, series.mode, run.device_name, run.date, run.git_commit,
       run.git_dirty, series.median_s, series.low_s, series.high_s, series.bytes_per_s,
       series.flops_per_s, series.copy_share, series.read_share, series.peak_share,
       ROW_NUMBER() OVER (PARTITION BY result.case_id, series.mode, run.device_name
                          ORDER BY run.date DESC, series.id DESC) AS age,  -- 1 is the newest
       run.id AS run_id, result.id AS result_id, series.id AS series_id
FROM series
JOIN result ON result.id = series.result_id
JOIN run ON run.id = result.run_id;

CREATE VIEW latest AS                -- the newest time of each case, mode and device
SELECT * FROM history WHERE age = 1;

CREATE VIEW failed AS                -- cases that failed
SELECT run.date, run.verb, run.device_name, result.suite, result.case_id, result.failure,
       result.reason, result.message, result.reproduce, run.file, run.git_commit,
       run.id AS run_id, result.id AS result_id
FROM result
JOIN run ON run.id = result.run_id
WHERE result.verdict = 'failed';
