// npm run demo: sends the events of an imaginary shop to a running product, a few per second, until stopped or for
// `--events N`. At the first run it creates the needed organization, source and write key, with the administrator's
// account.
import { setTimeout as pause } from 'node:timers/promises'
import { type ApiClient, createApiClient } from '@tributary/test-kit/api-client'
import { createSource, createWorkspace } from '@tributary/test-kit/workspace'
import { configOf, given, misused, runCommand } from './command-line.ts'
import { demoTemplate, shopEvent } from './demo-events.ts'

/** Parses a numeric option; throws if the value is not a number or is below `least`. */
const numberOf = (name: string, text: string, least: number): number => {
  const value = Number(text)
  return value >= least ? value : misused(`--${name} must be a number, at least ${least}`)
}

const optionsOf = () => {
  const { values } = given(
    {
      url: { type: 'string' },
      email: { type: 'string' },
      password: { type: 'string' },
      events: { type: 'string', default: '0' },
      rate: { type: 'string', default: '5' },
    },
    0,
  )
  const config = configOf()
  return {
    url: (values.url ?? `http://127.0.0.1:${config.port}`).replace(/\/+$/, ''),
    email: values.email ?? config.admin.email,
    password:
      values.password ??
      config.admin.password ??
      misused('Pass the password that the first start printed: npm run demo -- --password <password>'),
    events: numberOf('events', values.events, 0),
    rate: numberOf('rate', values.rate, 0.01),
  }
}

const signIn = async (url: string, credentials: { email: string; password: string }): Promise<ApiClient> => {
  const api = createApiClient(url)
  try {
    await api.login(credentials)
  } catch (error) {
    throw new Error(
      `Cannot sign in at ${url}: ${error instanceof Error ? error.message : String(error)}\nCheck that Tributary runs (npm start), and that the URL and password are right.`,
      { cause: error },
    )
  }
  return api
}

/** Creates a source in the demo's own organization, with a schema that the events match. */
const prepareSource = async (api: ApiClient): Promise<{ key: string; source: string }> => {
  const title = 'Demo shop'
  const workspaces = (await api.ok('GET', '/workspaces')).workspaces as {
    name: string
    organization: { title: string }
  }[]
  const workspace =
    workspaces.find(({ organization }) => organization.title === title)?.name ??
    (await createWorkspace(api, title)).workspace
  return await createSource(api, workspace, `Shop ${new Date().toISOString().slice(0, 16)}`, 'http', demoTemplate)
}

await runCommand('demo', async () => {
  const { url, email, password, events, rate } = optionsOf()
  const { key, source } = await prepareSource(await signIn(url, { email, password }))
  console.log(`Sending to ${url}/${source}`)
  for (let sent = 0; events === 0 || sent < events; sent++) {
    const answer = await fetch(`${url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        batch: [{ messageId: crypto.randomUUID(), timestamp: new Date().toISOString(), ...shopEvent(Math.random) }],
        sentAt: new Date().toISOString(),
      }),
    })
    if (!answer.ok) console.error(`${answer.status} ${await answer.text()}`)
    await pause(1000 / rate)
  }
  console.log(`Sent ${events} events.`)
})
