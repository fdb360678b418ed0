import { useQuery } from '@tanstack/react-query'
import type { OwnConnector } from '@tributary/contract'
import { Link, useNavigate } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { destinationsQuery } from '../../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useDeleteOwn } from './own-mutations.ts'

/** Asks before an own connector is deleted. While destinations use it, lists them in place of the question. */
export const DeleteOwnDialog = ({ own, onClose }: { own: OwnConnector; onClose: () => void }) => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const remove = useDeleteOwn(own.name)
  const destinations = useQuery(destinationsQuery(workspace.name))
  const users = (destinations.data ?? []).filter(({ app }) => own.app !== '' && app.catalog_app === own.app)
  if (users.length > 0)
    return (
      <Dialog open onClose={onClose} size="sm" title="It is in use">
        <p className="text-sm text-ink-2">Delete these destinations first:</p>
        <ul className="mt-2 space-y-1 text-sm">
          {users.map(({ name, title }) => (
            <li key={name}>
              <Link to={paths.destination(name, 'settings')} className="rounded-sm text-accent-ink hover:underline">
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </Dialog>
    )
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      kind="danger"
      title="Delete this destination?"
      confirmLabel="Delete"
      loading={remove.isPending || destinations.isPending}
      error={remove.error?.message}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => void navigate(paths.ownConnectors(workspace.name), { replace: true }),
        })
      }
    >
      {own.title}, its draft, and its versions are deleted, and it leaves the catalog.
    </ConfirmDialog>
  )
}
