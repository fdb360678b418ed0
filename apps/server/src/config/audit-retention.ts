import { type AuditRetention, defaultAuditRetention, readAuditRetention } from '@tributary/control'
import { type Config, ConfigurationError } from './config.ts'

/**
 * Returns how long the audit log is kept, by plan: the configured time, or without limit if there is no payment.
 *
 * @throws ConfigurationError if the text cannot be parsed
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
