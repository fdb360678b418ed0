import type { Organization, Workspace } from '@tributary/contract'

export type WorkspaceGroup = { name: string; title: string; logo: string; workspaces: Workspace[] }

const groupOf = (organization: Organization | null): WorkspaceGroup => ({
  name: organization?.name ?? '',
  title: organization?.display_name ?? 'Without an organization',
  logo: organization?.extra.logo ?? '',
  workspaces: [],
})

/**
 * Workspaces by organization; the last used one comes first, and so does its organization's group. `search` matches the
 * titles of both; groups without a match are omitted.
 */
export const groupWorkspaces = (
  workspaces: readonly Workspace[],
  last: string | null,
  search: string,
): WorkspaceGroup[] => {
  const wanted = search.trim().toLowerCase()
  const groups = new Map<string, WorkspaceGroup>()
  for (const workspace of workspaces) {
    const name = workspace.organization?.name ?? ''
    const group = groups.get(name) ?? groupOf(workspace.organization)
    if (wanted !== '' && !`${workspace.title} ${group.title}`.toLowerCase().includes(wanted)) continue
    groups.set(name, group)
    if (workspace.name === last) group.workspaces.unshift(workspace)
    else group.workspaces.push(workspace)
  }
  const holdsLast = (group: WorkspaceGroup): number => (group.workspaces[0]?.name === last ? 0 : 1)
  return [...groups.values()].sort((one, other) => holdsLast(one) - holdsLast(other))
}
