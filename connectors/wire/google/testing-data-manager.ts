import type { PeerAnswer } from '@tributary/connector-kit/testing'

/** Returns a response in JSON. */
export const answerOf = (status: number, body: unknown): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Returns an error in the format of google.rpc.Status, with the faulty fields, and a reason for the whole request. */
export const errorOf = (
  code: number,
  status: string,
  message: string,
  fieldViolations: { field: string; description: string; reason?: string }[] = [],
  reason = '',
): PeerAnswer =>
  answerOf(code, {
    error: {
      code,
      status,
      message,
      details: [
        ...(reason === '' ? [] : [{ '@type': 'google.rpc.ErrorInfo', reason, domain: 'datamanager.googleapis.com' }]),
        ...(fieldViolations.length === 0 ? [] : [{ '@type': 'google.rpc.BadRequest', fieldViolations }]),
      ],
    },
  })
