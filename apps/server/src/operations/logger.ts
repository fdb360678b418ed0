import type { Logger } from '@tributary/kernel'
import { pino } from 'pino'

/**
 * Writes JSON lines to standard output. Fields that could contain a credential are redacted, whatever the caller
 * passed.
 */
export const createLogger = (level: string, bindings: Record<string, string> = {}): Logger =>
  pino({
    level,
    base: bindings,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: ['authorization', 'password', 'token', 'secret', 'writeKey', 'cookie', 'access_token'].flatMap((name) => [
        name,
        `*.${name}`,
        `*.*.${name}`,
      ]),
      censor: '[redacted]',
    },
  })
