import { withoutEnds } from '@tributary/kernel/text-ends'
import { paths } from '../paths.ts'

const pages = {
  sources: paths.sources,
  events: (workspace: string): string => paths.events(workspace),
  destinations: paths.destinations,
  connections: paths.connections,
  syncs: paths.syncs,
  signals: paths.signals,
  billing: paths.billing,
  members: paths.members,
  account: paths.account,
} as const

/** The name of a page to which `/s/{name}` leads, in the workspace used last. */
export type Shortcut = keyof typeof pages

const isShortcut = (name: string): name is Shortcut => Object.hasOwn(pages, name)

/**
 * Returns the path to which `/s/{name}` leads in a workspace (a resource name). Returns `/` for an unknown name, and if
 * there is no workspace.
 */
export const shortcutTarget = (name: string, workspace: string | undefined): string =>
  workspace !== undefined && isShortcut(name) ? pages[name](workspace) : paths.root()

const settingsPages: Readonly<Record<string, (workspace: string) => string>> = {
  '': paths.organizationSettings,
  general: paths.organizationSettings,
  billing: paths.billing,
  members: paths.members,
}

/**
 * Returns the target of `/workspaces/{id}/organizations/{rest}`: the settings page with that name or, if there is none,
 * the overview.
 */
export const organizationTarget = (rest: string, workspace: string): string => {
  const name = withoutEnds(rest, '/')
  return Object.hasOwn(settingsPages, name)
    ? (settingsPages[name] ?? paths.workspace)(workspace)
    : paths.workspace(workspace)
}
