import type { Db } from '@tributary/api-kit'
import { sql } from 'kysely'
import { idAfterSample, type Sample } from './fragments.ts'

/** Profiles that a sample has at most, about; of as few there is none. */
const sampleSize = 20_000
/** What profiles are counted by: those of a small sample, of whom 200,000 have some 800. */
const counted: Sample = { share: 256 }

/** A sample of the profiles of a workspace; undefined when there are so few that all of them are looked at. */
export const sampleOf = async (db: Db, workspaceId: string): Promise<Sample | undefined> => {
  const { rows } = await sql<{ some: number }>`
    select count(*)::int as some from profiles
    where workspace_id = ${workspaceId}::uuid and merged_into is null and id < ${idAfterSample(counted)}::uuid`.execute(
    db,
  )
  const profiles = (rows[0]?.some ?? 0) * counted.share
  if (profiles <= sampleSize) return undefined
  return { share: 2 ** Math.ceil(Math.log2(profiles / sampleSize)) }
}
