import { audit, type Db, isId } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentWorkspace } from '../organizations/present.ts'
import { selectOrganizations } from '../organizations/select.ts'

/** Maximum people that are listed per workspace. */
const maxPeople = 3

/** A pattern of LIKE for texts that hold this word. */
const holding = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`

/** True for members whose name or address holds one of the words, or all of them. */
const personFits = (words: readonly string[], how: 'some' | 'all'): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    words.map(
      (word) => sql<SqlBool>`concat_ws(' ', users.first_name, users.last_name, users.email) ilike ${holding(word)}`,
    ),
    how === 'some' ? sql` or ` : sql` and `,
  )})`

/**
 * True for workspaces with this ID, and for those with each word in a title, the organization's name or a member's
 * name.
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

/** The members of each organization that a word of the search names, oldest first. */
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
 * Workspaces of all organizations that match a search, newest first, for platform admins only. The search is recorded,
 * because the response shows people of organizations that the caller does not belong to.
 */
export const findWorkspaces =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.workspaces.find> =>
  async ({ params, query }) => {
    const { search } = query
    const words = search.split(/\s+/).filter((word) => word !== '')
    await db.transaction().execute((tx) => audit(tx, 'workspaces', { search }))
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
