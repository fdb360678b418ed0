import { useMutation } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { actOnBehalf } from '../../lib/people/session.ts'
import { platformAdminsOnly, useAccess } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { notifyAfterReload } from '../../ui/overlays/reload-notice.ts'
import { actingNotice } from './act-on-behalf.ts'

/** Lets platform admins act in another organization's workspace, from the not-found screen. */
export const DebugWorkspace = ({ workspaceId }: { workspaceId: string }) => {
  const allowed = useAccess(platformAdminsOnly) === true
  const [open, setOpen] = useState(false)
  const act = useMutation({
    mutationFn: () => call(methods.workspaces.actOnBehalf, { body: { workspaceId } }),
    onSuccess: ({ workspace }) => {
      actOnBehalf(workspace)
      notifyAfterReload('success', actingNotice(workspace))
      window.location.reload()
    },
  })
  if (!allowed) return null
  return (
    <>
      <Button
        onClick={() => {
          act.reset()
          setOpen(true)
        }}
      >
        Debug
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        kind="info"
        title="Debug"
        confirmLabel="Act on behalf"
        loading={act.isPending || act.isSuccess}
        error={act.error?.message}
        onConfirm={() => act.mutate()}
      >
        Act on behalf of this workspace?
      </ConfirmDialog>
    </>
  )
}
