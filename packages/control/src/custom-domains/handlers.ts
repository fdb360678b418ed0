import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler, Handlers } from '@tributary/http'
import { badRequest, conflict, newId, randomToken } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { checkCustomDomain } from './check.ts'
import { customDomainName, presentCustomDomain, readCustomDomain, targetOf } from './domains.ts'

type Deps = Pick<ControlDeps, 'db' | 'clock' | 'customDomains' | 'publicUrl'>

const list =
  (deps: Deps): Handler<typeof methods.customDomains.list> =>
  async ({ workspace }) => {
    const rows = await deps.db
      .selectFrom('custom_domains')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .execute()
    return { custom_domains: rows.map((row) => presentCustomDomain(row, targetOf(deps))) }
  }

/**
 * Adds a domain to a workspace without one. Throws 409 if the workspace has a domain, or if another workspace has
 * proved that it owns this one. Throws 400 for the address of the product itself.
 */
const create =
  (deps: Deps): Handler<typeof methods.customDomains.create> =>
  ({ workspace, body: { domain_name } }) =>
    deps.db.transaction().execute(async (tx) => {
      const refuse = (text: string) => badRequest('VALIDATION', `domain_name: ${text}`, { domain_name: text })
      if (domain_name === targetOf(deps) || domain_name === new URL(deps.publicUrl()).hostname)
        throw refuse('This is the address of Tributary itself')
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().executeTakeFirst()
      const known = await tx
        .selectFrom('custom_domains')
        .select(['workspace_id'])
        .where(({ eb, or, and }) =>
          or([
            eb('workspace_id', '=', workspace.id),
            and([eb('domain', '=', domain_name), eb('state', '<>', 'pending')]),
          ]),
        )
        .execute()
      if (known.some(({ workspace_id }) => workspace_id === workspace.id))
        throw conflict('ALREADY_EXISTS', 'This workspace already has a custom domain. Remove it first')
      if (known.length > 0) throw taken()
      const time = new Date(deps.clock())
      const row = await tx
        .insertInto('custom_domains')
        .values({
          id: newId(),
          workspace_id: workspace.id,
          domain: domain_name,
          challenge: randomToken(24),
          create_time: time,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, customDomainName(row), { domain_name })
      return presentCustomDomain(row, targetOf(deps))
    })

const taken = () => {
  const text = 'Another workspace uses this domain'
  return conflict('ALREADY_EXISTS', text, { domain_name: text })
}

/**
 * Looks for the records of a domain now. Throws 409 if another workspace has proved earlier that it owns the domain.
 */
const verify =
  (deps: Deps): Handler<typeof methods.customDomains.verify> =>
  async ({ workspace, params: { custom_domain } }) => {
    const before = await readCustomDomain(deps.db, workspace.id, custom_domain)
    const checked = await checkCustomDomain(deps, before, async (tx, row) => {
      await audit(tx, customDomainName(row), { domain_name: row.domain, state: row.state })
    })
    if (checked === 'taken') throw taken()
    return presentCustomDomain(await readCustomDomain(deps.db, workspace.id, custom_domain), targetOf(deps))
  }

/** Removes a domain. It then accepts no requests. */
const remove =
  (deps: Deps): Handler<typeof methods.customDomains.delete> =>
  ({ workspace, params: { custom_domain } }) =>
    deps.db.transaction().execute(async (tx) => {
      const row = await readCustomDomain(tx, workspace.id, custom_domain)
      await tx.deleteFrom('custom_domains').where('id', '=', row.id).execute()
      await audit(tx, customDomainName(row), { domain_name: row.domain })
      return {}
    })

/** The handlers of custom domains. */
export const customDomainHandlers = (deps: Deps): Pick<Handlers, 'customDomains'> => ({
  customDomains: { list: list(deps), create: create(deps), verify: verify(deps), delete: remove(deps) },
})
