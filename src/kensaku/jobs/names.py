"""The names under which jobs are stored."""

JOB, PART = "kensaku_job", "kensaku_part"  # workflows
JOBS_QUEUE, PARTS_QUEUE = "kensaku-jobs", "kensaku-parts"
