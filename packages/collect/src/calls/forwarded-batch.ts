import { bodyFault } from '../body/body.ts'
import type { Refusal } from '../refusal.ts'

/**
 * Converts a call of another collecting server's webhook destination (`/v1/forward`) to the body of a batch. The call
 * contains one event or a list of events, each kept byte for byte, with its type, message ID, and times.
 */
export const forwardedBatch = (body: Buffer): Buffer | Refusal => {
  if (/^\s*\[/.test(body.toString('utf8', 0, 64)))
    return Buffer.concat([Buffer.from('{"batch":'), body, Buffer.from('}')])
  return bodyFault(body) ?? Buffer.concat([Buffer.from('{"batch":['), body, Buffer.from(']}')])
}
