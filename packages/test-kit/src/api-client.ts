/** A response of the API. */
export type Answer = { status: number; body: Record<string, unknown>; headers: Headers }

export type ApiClient = {
  token: string | undefined
  /** Calls `/api<path>`. Resolves to the response, whatever its status. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** Calls and returns the body, or throws with the response if the status is not 2xx. */
  ok(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** Logs in and keeps the token. */
  login(credentials: { email: string; password: string }): Promise<void>
}

/** A plain client of the API, for tests, benches and the demo. */
export const createApiClient = (origin: string): ApiClient => {
  const client: ApiClient = {
    token: undefined,
    async call(method, path, body) {
      const response = await fetch(`${origin}/api${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(client.token === undefined ? {} : { authorization: `Bearer ${client.token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers }
    },
    async ok(method, path, body) {
      const answer = await client.call(method, path, body)
      if (answer.status >= 300)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    async login(credentials) {
      const { access_token } = await client.ok('POST', '/users:login', credentials)
      client.token = String(access_token)
    },
  }
  return client
}
