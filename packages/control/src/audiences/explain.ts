import { parseReference } from '@tributary/api-kit'
import {
  audienceName,
  createCompiler,
  type Evaluation,
  lookUp,
  readAudience,
  readKnown,
  readPeople,
} from '@tributary/audiences'
import { type AudienceQuery, type methods, queriesOf, resourceNames, type SegmentQuery } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskSummary } from '../profiles/mask.ts'
import { currentProfileId, readSummaries } from '../profiles/read.ts'

/** Returns an audience query whose only condition is this one. */
const alone = (query: SegmentQuery, includeAnonymous = true): AudienceQuery => ({
  operator: 'and',
  includeAnonymous,
  groups: {
    only: {
      tableName: 'users',
      operator: 'and',
      segments: [{ id: 'only', tableName: 'users', queries: [query] }],
    },
  },
})

/** Returns a condition that every profile meets: at least zero events. */
const always = (query: SegmentQuery): SegmentQuery => ({
  ...query,
  type: 'event',
  count: { operator: 'at_least', value: 0 },
})

/**
 * Explains why a profile is in an audience or not: returns which conditions it meets. The answer is as of the last
 * computation of the audience, or as of now if there was none. Uses the compiler that selects the members.
 */
export const explainAudience =
  ({
    db,
    clock,
    profileLedger,
    evaluation,
  }: Pick<ControlDeps, 'db' | 'clock' | 'profileLedger'> & { evaluation: Evaluation }): Handler<
    typeof methods.audiences.explain
  > =>
  async ({ actor, workspace, params, query, signal }) => {
    const row = await readAudience(db, workspace.id, params.audience)
    const asked = parseReference(resourceNames.profile, 'profile', query.profile)
    if (asked.workspace !== workspace.id) throw notFound('profile not found')
    const profileId = await currentProfileId(db, workspace.id, asked.profile)
    const known = await readKnown(db, workspace.id)
    const own = known.find(({ name }) => name === audienceName(workspace.id, row.id))
    if (own === undefined) throw notFound('audience not found')
    const conditions = queriesOf(own.query)
    const [first] = conditions
    if (first === undefined) throw notFound('audience not found')
    const asOf = row.as_of?.getTime() ?? clock()
    const compiler = createCompiler({
      workspaceId: workspace.id,
      asOf,
      queryOf: lookUp(known),
      people: await readPeople({ db, profileLedger }, workspace.id, [profileId]),
    })
    const profiles = compiler.addAll([own.query, alone(always(first), false), ...conditions.map((each) => alone(each))])
    const [found] = await evaluation.run<{ met: boolean[] }, readonly { met: boolean[] }[]>(
      { events: compiler.events(), profiles },
      { text: 'select met from members' },
      (_, rows) => Promise.resolve(rows),
      { workspaceId: workspace.id, slot: 'short', signal },
    )
    const { rows: people } = await sql<{ id: string; create_time: Date; enter_time: Date | null }>`
      select p.id, p.create_time, m.enter_time from profiles p
      left join audience_members m on m.audience_id = ${row.id}::uuid and m.profile_id = p.id
      where p.workspace_id = ${workspace.id}::uuid and p.id = ${profileId}::uuid`.execute(db)
    const [profile] = await readSummaries(db, workspace.id, people)
    if (profile === undefined) throw notFound('profile not found')
    const [met = false, named = false, ...each] = found?.met ?? []
    return {
      as_of: new Date(asOf).toISOString(),
      profile: isMasked(actor, workspace) ? maskSummary(profile) : profile,
      enter_time: people[0]?.enter_time?.toISOString() ?? null,
      met,
      suppressed: found === undefined,
      anonymous: !own.query.includeAnonymous && !named,
      conditions: conditions.map(({ id }, index) => ({ id, met: each[index] ?? false })),
    }
  }
