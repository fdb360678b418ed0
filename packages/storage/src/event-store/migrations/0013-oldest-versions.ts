/** Of a version that takes something away, the oldest one that a process has to know to work with it; 0 for one that only adds. */
export const statements = ['alter table schema_versions add column if not exists oldest UInt32']
