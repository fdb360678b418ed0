import { audit, type Db, isId } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentWorkspace } from '../organizations/present.ts'
import { selectOrganizations } from '../organizations/select.ts'

/** Maximum number of people that are listed for each workspace. */
const maxPeople = 3

/** Returns a LIKE pattern for texts that contain this word. */
const holding = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`

/** Selects members whose name or address contains some or all of the words. */
const personFits = (words: readonly string[], how: 'some' | 'all'): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    words.map(
      (word) => sql<SqlBool>`concat_ws(' ', users.first_name, users.last_name, users.email) ilike ${holding(word)}`,
    ),
    how === 'some' ? sql` or ` : sql` and `,
  )})`

/**
 * Selects workspaces with this ID, or those that match each word: in their title, the organization's title, or the name
 * of a member.
 */
const workspaceFits = (search: string, words: readonly string[]): RawBuilder<SqlBool> => {
  const id = resourceNames.workspace.parse(search)?.workspace ?? search
  if (isId(id)) return sql<SqlBool>`workspaces.id = ${id}`
  if (words.length === 0) return sql<SqlBool>`true`
  return sql<SqlBool>`(${sql.join(
    words.map(
      (
        word,
      ) => sql<SqlBool>`(workspaces.title ilike ${holding(word)} or organizations.title ilike ${holding(word)} or exists (
        select from memberships join users on users.id = memberships.user_id
        where memberships.organization_id = workspaces.organization_id and ${personFits([word], 'all')}))`,
    ),
    sql` and `,
  )})`
}

/** Reads the members of each organization whose name or address contains a word of the search, oldest first. */
const namedPeople = async (db: Db, organizations: readonly string[], words: readonly string[]) => {
  if (organizations.length === 0 || words.length === 0) return []
  return await db
    .selectFrom(
      db
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select(['memberships.organization_id', 'users.first_name', 'users.last_name', 'users.email'])
        .select(
          sql<number>`row_number() over (partition by memberships.organization_id order by memberships.create_time, memberships.id)`.as(
            'place',
          ),
        )
        .where('memberships.organization_id', 'in', organizations)
        .where(personFits(words, 'some'))
        .as('found'),
    )
    .selectAll()
    .where('place', '<=', maxPeople)
    .orderBy('place')
    .execute()
}

/**
 * Finds workspaces of all organizations by a search, newest first. Only for platform admins. The search is recorded,
 * because the response shows people of organizations to which the caller does not belong.
 */
export const findWorkspaces =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.workspaces.find> =>
  async ({ params, query }) => {
    const { search } = query
    const words = search.split(/\s+/).filter((word) => word !== '')
    const { rows: shown, next } = await newestFirst(
      { name: 'workspaces.find', table: 'workspaces', params, query },
      db
        .selectFrom('workspaces')
        .innerJoin('organizations', 'organizations.id', 'workspaces.organization_id')
        .selectAll('workspaces')
        .where('organizations.delete_time', 'is', null)
        .where('workspaces.delete_time', 'is', null)
        .where(workspaceFits(search, words)),
    )
    // Recorded before anything is shown, but after the page token was checked: a refused search shows nothing.
    await db.transaction().execute((tx) => audit(tx, 'workspaces', { search }))
    const ids = [...new Set(shown.map((row) => row.organization_id))]
    const [organizations, people] = await Promise.all([
      ids.length === 0 ? [] : selectOrganizations(db).where('organizations.id', 'in', ids).execute(),
      namedPeople(db, ids, words),
    ])
    const byId = new Map(organizations.map((row) => [row.id, row]))
    return {
      workspaces: shown.flatMap((row) => {
        const organization = byId.get(row.organization_id)
        if (organization === undefined) return []
        return [
          {
            workspace: presentWorkspace(row, organization),
            people: people
              .filter((each) => each.organization_id === row.organization_id)
              .map(({ first_name, last_name, email }) => ({ first_name, last_name, email })),
          },
        ]
      }),
      next_page_token: next,
    }
  }
