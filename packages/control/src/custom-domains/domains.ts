import { type Db, isId, type Tx } from '@tributary/api-kit'
import { type CustomDomain, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { CustomDomainsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import type { ControlDeps } from '../deps.ts'

export type CustomDomainRow = Selectable<CustomDomainsTable>

/**
 * Returns the target of the CNAME record of a custom domain: the configured host, or else the host of the product's own
 * address.
 */
export const targetOf = ({ customDomains, publicUrl }: Pick<ControlDeps, 'customDomains' | 'publicUrl'>): string =>
  customDomains.target ?? new URL(publicUrl()).hostname

/** Returns the name and the text of the TXT record that proves which workspace owns a domain. */
export const challengeOf = ({ domain, challenge }: Pick<CustomDomainRow, 'domain' | 'challenge'>) => ({
  name: `_tributary.${domain}`,
  value: `tributary-verification=${challenge}`,
})

/** A domain as the API returns it. */
export const presentCustomDomain = (row: CustomDomainRow, target: string): CustomDomain => {
  const { name, value } = challengeOf(row)
  return {
    name: customDomainName(row),
    domain_name: row.domain,
    state: row.state,
    records: [
      { type: 'CNAME', name: row.domain, value: target, found: row.cname_found },
      { type: 'TXT', name, value, found: row.txt_found },
    ],
    check_time: row.check_time?.toISOString() ?? null,
    problem: row.problem,
    create_time: row.create_time.toISOString(),
  }
}

export const customDomainName = ({ workspace_id, id }: Pick<CustomDomainRow, 'workspace_id' | 'id'>): string =>
  resourceNames.customDomain.format({ workspace: workspace_id, custom_domain: id })

/** A domain of a workspace by ID. Throws 404 if it does not exist. */
export const readCustomDomain = async (db: Db | Tx, workspaceId: string, id: string): Promise<CustomDomainRow> => {
  const row = isId(id)
    ? await db
        .selectFrom('custom_domains')
        .selectAll()
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('custom domain not found')
  return row
}
