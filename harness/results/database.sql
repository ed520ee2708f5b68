-- Names and meanings are those of journals (schema/outcome.json): a column is called like its
-- member, units are in the names, and what a journal does not say is NULL.

PRAGMA application_id = 1466985835;  -- "Wpmk"
PRAGMA user_version = 1;             -- of these tables

CREATE TABLE run (                   -- of check or bench; a journal may hold several
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL,                -- the journal
  number INTEGER NOT NULL,           -- of the run in it, from 1
  verb TEXT NOT NULL,                -- check, bench
  date TEXT NOT NULL,                -- of the start, in UTC: 2026-11-20T09:30:00Z
  warpmark TEXT NOT NULL,            -- the program's version
  command TEXT NOT NULL,
  seed TEXT,                         -- its digits: it may be 2^64 - 1
  cases INTEGER NOT NULL,            -- that were to come
  deselected INTEGER,
  trials INTEGER,
  shard_index INTEGER,               -- from 1; NULL for a run as a whole
  shard_count INTEGER,
  device_kind TEXT,                  -- gpu, cpu; NULL if no case came to a device
  device_name TEXT,
  device_uuid TEXT,
  architecture INTEGER,              -- 90 for sm_90
  driver_version INTEGER,            -- 13000 for CUDA 13.0
  nvrtc_version TEXT,
  host_system TEXT,                  -- from here to float16_flops_per_s: only of bench
  host_processor TEXT,
  host_processors INTEGER,
  host_memory_bytes INTEGER,
  git_commit TEXT,
  git_dirty INTEGER,                 -- 1 with changes that are not committed
  copy_bytes_per_s REAL,             -- of the device, measured in the same run
  read_bytes_per_s REAL,
  launch_s REAL,                     -- an empty kernel, where one follows another
  float64_flops_per_s REAL,
  float32_flops_per_s REAL,
  float16_flops_per_s REAL,
  passed INTEGER,                    -- from here on: NULL if the run was killed or goes on
  failed INTEGER,
  skipped INTEGER,
  interrupted INTEGER,
  not_run INTEGER,
  seconds REAL,
  exit_code INTEGER,
  error TEXT                         -- what ended the run early
);

CREATE TABLE result (                -- of a case
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES run (id),
  number INTEGER NOT NULL,           -- in the run, from 1
  suite TEXT NOT NULL,
  case_id TEXT NOT NULL,
  verdict TEXT NOT NULL,             -- passed, failed, skipped, interrupted, not_run
  failure TEXT NOT NULL,             -- none, compile, wrong, fault, unwritten …
  reason TEXT,                       -- one line
  message TEXT,                      -- several lines
  where_file TEXT,                   -- the place in the suite
  where_line INTEGER,
  where_column INTEGER,
  compiled_from_cache INTEGER,       -- 0, 1
  seconds REAL,                      -- of the case as a whole
  trial INTEGER,                     -- that decided
  reproduce TEXT,                    -- the command that repeats the case
  sources TEXT,                      -- from here on: only of a case that was timed. A SHA-256
  restore TEXT,                      -- never, batch, each
  budget_s REAL,
  precision REAL,                    -- that was asked for
  bytes REAL,                        -- moved by one run
  flops REAL,                        -- done by one run
  peak_flops_per_s REAL,
  sampling_s REAL                    -- `seconds` of the measurement
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
  id INTEGER PRIMARY KEY,
  result_id INTEGER NOT NULL REFERENCES result (id),
  mode TEXT NOT NULL,                -- cold, hot, cold graph, hot graph, upload, download …
  batch INTEGER,                     -- runs that one sample is the mean of
  stop TEXT,                         -- precise, budget, samples
  latency_hidden INTEGER,            -- 0, 1
  late INTEGER,                      -- samples thrown away
  count INTEGER NOT NULL,            -- of the samples
  median_s REAL NOT NULL,
  low_s REAL,                        -- of the median's interval
  high_s REAL,
  confidence REAL,                   -- of that interval
  q1_s REAL,
  q3_s REAL,
  min_s REAL,
  max_s REAL,
  bytes_per_s REAL,
  flops_per_s REAL,
  copy_share REAL,                   -- of copy_bytes_per_s of the run
  read_share REAL,
  peak_share REAL,                   -- of peak_flops_per_s of the result
  moved_bytes INTEGER                -- only of transfers
);
CREATE INDEX series_result ON series (result_id);

CREATE TABLE process (               -- that took samples of a series, in their order
  series_id INTEGER NOT NULL REFERENCES series (id),
  number INTEGER NOT NULL,           -- from 1
  count INTEGER NOT NULL,
  median_s REAL NOT NULL,
  overhead_s REAL,                   -- taken off each sample
  clock_mhz REAL,
  clock_change REAL,
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
  entry TEXT NOT NULL,
  grid_x INTEGER,
  grid_y INTEGER,
  grid_z INTEGER,
  block_x INTEGER,
  block_y INTEGER,
  block_z INTEGER,
  registers INTEGER,                 -- of a thread
  shared_bytes INTEGER,              -- of a block
  local_bytes INTEGER,               -- of a thread
  active_blocks INTEGER,             -- on one multiprocessor at a time
  occupancy REAL,
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
  name TEXT NOT NULL,
  dtype TEXT,
  shape TEXT,                        -- as JSON: [128,4]
  elements INTEGER,
  wrong INTEGER,                     -- elements that fail, unwritten ones included
  unwritten INTEGER,
  doubtful INTEGER,
  first_kind TEXT,                   -- of the wrong element of the lowest index: value, nan …
  first_index INTEGER,               -- in C order
  first_actual TEXT,
  first_expected TEXT,
  first_error TEXT,
  first_bound TEXT,
  sufficient_tolerance TEXT,         -- as a suite writes it
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
