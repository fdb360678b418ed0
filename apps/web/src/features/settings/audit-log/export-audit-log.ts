import { type AuditRecord, type MethodResponse, methods } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { csvOf, inFileName } from '../../../lib/format/csv.ts'
import { organizationIds } from '../../../lib/format/names.ts'
import type { AuditFilters } from '../../../lib/queries/organization-queries.ts'

type Page = MethodResponse<typeof methods.auditRecords.list>

/** Maximum number of records in one file: browsers can store such a file, and spreadsheets can open it. */
export const maxExportedRecords = 100_000

const header = [
  'time',
  'actor_kind',
  'actor',
  'email',
  'on_behalf_of',
  'action',
  'resource',
  'workspace',
  'ip',
  'user_agent',
  'changes',
  'detail',
]

/** Records as a CSV file with a header. */
export const auditCsv = (records: readonly AuditRecord[]): string =>
  csvOf(
    header,
    records.map((record) => [
      record.time,
      record.actor.kind,
      record.actor.title,
      record.actor.email,
      record.on_behalf_of ?? '',
      record.action,
      record.resource,
      record.workspace?.title ?? '',
      record.ip,
      record.user_agent,
      record.changes.length === 0 ? '' : JSON.stringify(record.changes),
      Object.keys(record.detail).length === 0 ? '' : JSON.stringify(record.detail),
    ]),
  )

/**
 * Saves the records that match the filters as a CSV file. Resolves to true if there are more records than fit into one
 * file.
 */
export const exportAuditLog = async (
  organization: { name: string; display_name: string },
  filters: AuditFilters,
): Promise<boolean> => {
  const records: AuditRecord[] = []
  let token = ''
  do {
    const page: Page = await call(methods.auditRecords.list, {
      params: organizationIds(organization.name),
      query: { ...filters, page_size: 1000, page_token: token },
    })
    records.push(...page.audit_records)
    token = page.next_page_token
  } while (token !== '' && records.length < maxExportedRecords)
  saveFile(`${inFileName(organization.display_name)} audit log.csv`, auditCsv(records), 'text/csv')
  return token !== ''
}
