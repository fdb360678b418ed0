import { logPartitions, partitionOf } from '@tributary/storage'
import type { ApiClient } from './api-client.ts'

export type TestWorkspace = { organization: string; workspace: string }
export type TestSource = { source: string; sourceId: string; key: string }

const nameOf = (body: Record<string, unknown>, ...path: string[]): string => {
  let value: unknown = body
  for (const part of path) value = (value as Record<string, unknown>)[part]
  if (typeof value !== 'string') throw new Error(`no ${path.join('.')} in ${JSON.stringify(body)}`)
  return value
}

/** Creates an organization with one workspace; returns their resource names. */
export const createWorkspace = async (api: ApiClient, title = 'Acme'): Promise<TestWorkspace> => {
  const made = await api.ok('POST', '/organizations', { title, industry: 'e-commerce', workspace_title: 'Production' })
  return { organization: nameOf(made, 'organization', 'name'), workspace: nameOf(made, 'workspace', 'name') }
}

/**
 * Creates organizations with one workspace until one of them is in the same log partition as another workspace; returns
 * its resource names.
 */
export const createPartitionMate = async (
  api: ApiClient,
  workspace: string,
  title?: string,
): Promise<TestWorkspace> => {
  const partition = (name: string): number => partitionOf(name.split('/').at(-1) ?? '', logPartitions)
  for (;;) {
    const made = await createWorkspace(api, title)
    if (partition(made.workspace) === partition(workspace)) return made
  }
}

/** Creates a source with a write key. */
export const createSource = async (
  api: ApiClient,
  workspace: string,
  title = 'Shop',
  app = 'http',
  template?: string,
): Promise<TestSource> => {
  const source = nameOf(
    await api.ok('POST', `/${workspace}/sources`, {
      title,
      app: { name: `catalogSources/${app}` },
      ...(template === undefined ? {} : { schema: { initial_template: { name: template } } }),
    }),
    'name',
  )
  const key = nameOf(await api.ok('POST', `/${workspace}/writekeys`, { source }), 'key')
  return { source, sourceId: source.split('/').at(-1) ?? '', key }
}

/** Creates a destination of an app, connected to the source; returns its resource name. */
export const createDestination = async (
  api: ApiClient,
  workspace: string,
  source: string,
  made: { app: string; settings: Record<string, unknown>; title?: string },
): Promise<string> => {
  const { app, settings, title = 'Receiver' } = made
  const destination = nameOf(
    await api.ok('POST', `/${workspace}/destinations`, {
      title,
      app: { name: `catalogDestinations/${app}` },
      settings,
    }),
    'name',
  )
  await api.ok('POST', `/${workspace}/connections`, { source, destination })
  return destination
}

/** Creates a webhook destination connected to the source; returns its resource name. */
export const createWebhook = (
  api: ApiClient,
  workspace: string,
  source: string,
  settings: Record<string, unknown>,
  title = 'Receiver',
): Promise<string> => createDestination(api, workspace, source, { app: 'webhook', settings, title })
