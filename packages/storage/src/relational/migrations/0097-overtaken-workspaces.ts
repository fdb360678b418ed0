import { type QueryExecutorProvider, sql } from 'kysely'

/**
 * The pipeline notes with a partition which workspaces are overtaken in it, and has the place of its second reading under a number
 * beyond all partitions.
 */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
comment on column journal_positions.partition is 'beyond all partitions: a second reading of one';
comment on column journal_notes.note is 'of the pipeline: workspaces that are overtaken by others of their partition';
`.execute(db)
}
