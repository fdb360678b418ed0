import type { PeerAnswer } from '@tributary/connector-kit/testing'

/** Returns a JSON response of the vendor. */
export const answerOf = (status: number, body: unknown, headers: Record<string, string> = {}): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Returns an error in the form of the Graph API ("Error Handling"). */
export const errorOf = (
  status: number,
  code: number,
  message: string,
  more: object = {},
  headers: Record<string, string> = {},
): PeerAnswer => answerOf(status, { error: { message, type: 'OAuthException', code, ...more } }, headers)
