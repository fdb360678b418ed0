import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import { planOf } from '@tributary/billing'
import { type AuditRecord, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { apiKeyName } from '../api-keys/keys.ts'
import type { ControlDeps } from '../deps.ts'
import { retentionOf } from './retention.ts'

type Query = Parameters<Handler<typeof methods.auditRecords.list>>[0]['query']

/** Returns a LIKE pattern that finds a text at any position. */
const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

const everything = sql<SqlBool>`true`

/** Selects the records whose caller has this text in the name, email, or title. */
const byActor = ({ actor }: Query): RawBuilder<SqlBool> =>
  actor === ''
    ? everything
    : sql<SqlBool>`(
    audit_log.actor_id in (
      select id from users
      where trim(first_name || ' ' || last_name) ilike ${anywhere(actor)} or email ilike ${anywhere(actor)})
    or audit_log.key_id in (select id from api_keys where title ilike ${anywhere(actor)}))`

/** Selects the records of one method, or of all methods of a resource. */
const byAction = ({ action }: Query): RawBuilder<SqlBool> => {
  if (action === '') return everything
  if (action.includes('.')) return sql<SqlBool>`audit_log.action = ${action}`
  return sql<SqlBool>`split_part(audit_log.action, '.', 1) = ${action}`
}

const byKind = ({ by }: Query): RawBuilder<SqlBool> => {
  if (by === 'staff') return sql<SqlBool>`audit_log.on_behalf`
  return by === 'keys' ? sql<SqlBool>`audit_log.key_id is not null` : everything
}

/** The audit records of an organization and its workspaces, newest first. */
export const listAuditRecords =
  ({
    db,
    billing,
    auditRetention,
  }: Pick<ControlDeps, 'db' | 'billing' | 'auditRetention'>): Handler<typeof methods.auditRecords.list> =>
  async ({ organization, params, query }) => {
    const page = openPage('auditRecords.list', params, query, createdCursor)
    const { title, plan } = await db
      .selectFrom('organizations')
      .leftJoin('subscriptions', 'subscriptions.organization_id', 'organizations.id')
      .select(['organizations.title', 'subscriptions.plan'])
      .where('organizations.id', '=', organization.id)
      .executeTakeFirstOrThrow()
    const { resource, start_time, end_time } = query
    const found = await db
      .selectFrom('audit_log')
      .leftJoin('users', 'users.id', 'audit_log.actor_id')
      .leftJoin('api_keys', 'api_keys.id', 'audit_log.key_id')
      .leftJoin('workspaces', 'workspaces.id', 'audit_log.workspace_id')
      .selectAll('audit_log')
      .select([
        'users.email',
        'api_keys.title as key_title',
        'workspaces.title as workspace_title',
        sql<string | null>`trim(users.first_name || ' ' || users.last_name)`.as('person'),
      ])
      .where('audit_log.organization_id', '=', organization.id)
      .where(byActor(query))
      .where(byAction(query))
      .where(byKind(query))
      .where(resource === '' ? everything : sql<SqlBool>`audit_log.resource ilike ${anywhere(resource)}`)
      .$if(start_time !== undefined, (rows) => rows.where('audit_log.create_time', '>=', new Date(start_time ?? 0)))
      .$if(end_time !== undefined, (rows) => rows.where('audit_log.create_time', '<', new Date(end_time ?? 0)))
      .where(olderThan('audit_log', page.after))
      .orderBy('audit_log.create_time', 'desc')
      .orderBy('audit_log.id', 'desc')
      .limit(page.size + 1)
      .execute()
    type Row = (typeof found)[number]
    const actorOf = (row: Row): AuditRecord['actor'] => {
      if (row.key_id !== null)
        return { kind: 'key', name: apiKeyName(organization.id, row.key_id), title: row.key_title ?? '', email: '' }
      if (row.actor_id === null) return { kind: 'product', name: '', title: '', email: '' }
      const email = row.email ?? ''
      return {
        kind: 'user',
        name: resourceNames.user.format({ user: row.actor_id }),
        title: row.person || email,
        email,
      }
    }
    const { rows, next } = page.cut(found, createdCursorOf)
    return {
      audit_records: rows.map((row) => ({
        id: row.id,
        time: row.create_time.toISOString(),
        action: row.action,
        resource: row.resource,
        workspace:
          row.workspace_id === null
            ? null
            : {
                name: resourceNames.workspace.format({ workspace: row.workspace_id }),
                title: row.workspace_title ?? '',
              },
        actor: actorOf(row),
        on_behalf_of: row.on_behalf ? title : null,
        ip: row.ip,
        user_agent: row.user_agent,
        detail: row.detail,
        changes: Object.entries(row.changes ?? {}).map(([field, change]) => ({ field, ...change })),
      })),
      retention_days: retentionOf(auditRetention, planOf(billing.plans, plan ?? undefined).name),
      next_page_token: next,
    }
  }
