import { type AuditRetention, defaultAuditRetention, readAuditRetention } from '@tributary/control'
import { type Config, ConfigurationError } from './config.ts'

/**
 * How long the audit log is kept, by plan: as it is set, otherwise for ever where nobody pays. Throws ConfigurationError for a
 * text that says nothing.
 */
export const auditRetentionOf = ({
  auditRetention,
  billing,
}: Pick<Config, 'auditRetention' | 'billing'>): AuditRetention => {
  if (auditRetention === undefined) return billing.payment === 'none' ? { '*': null } : defaultAuditRetention
  try {
    return readAuditRetention(auditRetention)
  } catch (cause) {
    throw new ConfigurationError([
      `TRIBUTARY_AUDIT_RETENTION: ${cause instanceof Error ? cause.message : String(cause)}`,
    ])
  }
}
