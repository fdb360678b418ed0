import { compileAudience, lookUp, profileLimit, readAudience, readKnown } from '@tributary/audiences'
import type { AudienceStatement, methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Formats a list as a PostgreSQL array, so that a user can run the shown statement. */
const shownList = (values: readonly string[]): string => `{${values.map((each) => JSON.stringify(each)).join(',')}}`

/** Returns the SQL statements of an audience as of its last computation, or as of now if there was none. */
export const getAudienceStatements =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.audiences.getStatements> =>
  async ({ workspace, params }) => {
    const row = await readAudience(db, workspace.id, params.audience)
    const known = await readKnown(db, workspace.id)
    const own = known.find(({ id }) => id === row.id)
    const asOf = row.as_of ?? new Date(clock())
    const as_of = asOf.toISOString()
    if (own === undefined) return { as_of, statements: [] }
    const { events, profiles } = compileAudience(own.query, {
      workspaceId: workspace.id,
      asOf: asOf.getTime(),
      queryOf: lookUp(known),
    })
    const ofProfiles: AudienceStatement = {
      store: 'profiles',
      text: `${profiles.text({ few: false, stored: false })}\nselect id from members`,
      params: Object.fromEntries(
        profiles.params.map((value, index) => {
          const isSet = typeof value === 'object' && 'column' in value
          return [`$${index + 1}`, isSet ? value.column : typeof value === 'object' ? shownList(value) : shown(value)]
        }),
      ),
    }
    if (events === undefined) return { as_of, statements: [ofProfiles] }
    // One chunk holds all profiles, so that a user only has to copy one row.
    const values = Object.entries({ ...events.params, chunk: profileLimit }).map(([name, value]): [string, string] => [
      name,
      shown(value),
    ])
    const ofEvents: AudienceStatement = { store: 'events', text: events.text, params: Object.fromEntries(values) }
    return { as_of, statements: [ofEvents, ofProfiles] }
  }
