import type { Db } from '@tributary/api-kit'
import { idAfterSample, type Sample } from '@tributary/audiences'
import { sql } from 'kysely'

/** Profiles that a sample has at most, about; of as few there is none. */
const sampleSize = 20_000
/** The sample by which profiles are counted: a small one, which has some 800 of 200,000 profiles. */
const counted: Sample = { share: 256 }

/** A sample of the profiles of a workspace; undefined when there are so few that all of them are evaluated. */
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
