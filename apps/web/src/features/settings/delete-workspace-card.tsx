import { methods, type Workspace } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { workspaceIds } from '../../lib/format/names.ts'
import { DeleteByTitle, DeleteCard } from './delete-by-title.tsx'

/** Deletes the workspace of the page after its name was typed. */
export const DeleteWorkspaceCard = ({
  workspace: { name, title },
}: {
  workspace: Pick<Workspace, 'name' | 'title'>
}) => (
  <DeleteCard
    what="workspace"
    description="Deletes this workspace with all its data. The organization and its other workspaces stay."
    dialog={(onClose) => (
      <DeleteByTitle
        onClose={onClose}
        what="workspace"
        title={title}
        stays="What the workspace has used in this period still counts toward your plan."
        remove={(typed) => call(methods.workspaces.delete, { params: workspaceIds(name), body: { title: typed } })}
      >
        <li>Sources and their write keys: events that are sent with them are refused immediately</li>
        <li>Destinations, syncs, and audiences: nothing more is delivered, and what was delivered stays there</li>
        <li>All events, deliveries, profiles, models, and uploaded files</li>
        <li>The custom domain, profile keys, and API keys of this workspace</li>
      </DeleteByTitle>
    )}
  />
)
