import type { Db } from '@tributary/api-kit'
import { idAfterSample, type Sample } from '@tributary/audiences'
import { sql } from 'kysely'

/** Approximate maximum number of profiles in a sample. A workspace with this many profiles or fewer needs no sample. */
const sampleSize = 20_000
/** The sample for estimating the number of profiles. It is small: about 800 of 200,000 profiles. */
const counted: Sample = { share: 256 }

/**
 * Chooses a sample of the profiles of a workspace. Returns undefined if the workspace has so few profiles that all of
 * them are evaluated.
 */
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
