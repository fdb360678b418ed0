import { bodyFault } from '../body/validate-body.ts'
import type { Refusal } from '../refusal.ts'

/**
 * What the webhook destination of another collecting server sends to `/v1/forward`, as the body of a batch: one event
 * or a list of events, each byte for byte. Each keeps its type, its message id and its times.
 */
export const forwardedBatch = (body: Buffer): Buffer | Refusal => {
  if (/^\s*\[/.test(body.toString('utf8', 0, 64)))
    return Buffer.concat([Buffer.from('{"batch":'), body, Buffer.from('}')])
  return bodyFault(body) ?? Buffer.concat([Buffer.from('{"batch":['), body, Buffer.from(']}')])
}
