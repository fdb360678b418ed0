import type { Logger } from '@tributary/kernel'
import { pino } from 'pino'

/**
 * JSON lines on standard output. Anything that could carry a credential is replaced before it is written, whatever
 * the caller passed.
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
