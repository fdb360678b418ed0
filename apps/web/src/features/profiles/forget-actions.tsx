import { useMutation } from '@tanstack/react-query'
import type { PrivacyKind, Profile } from '@tributary/contract'
import { Download, Trash2, UserRoundX } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { type NewPrivacyRequest, usePrivacyRequest } from '../../components/use-privacy-request.ts'
import { paths } from '../../lib/paths.ts'
import { useIsAdministrator, useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { notifyRefusal } from '../../ui/overlays/toast.tsx'
import { exportProfile } from './export-profile.ts'

const requestOf = (profile: Profile, kind: PrivacyKind): NewPrivacyRequest => ({
  kind,
  // One identifier suffices.
  identifiers: profile.identifiers.slice(0, 1).map(({ type, value }) => ({ type, value })),
})

/** Administrators export, suppress, or delete the user of a profile. */
export const ForgetActions = ({ profile }: { profile: Profile }) => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const request = usePrivacyRequest(workspace)
  const exporting = useMutation({
    mutationFn: () => exportProfile(profile.name),
    onError: (error) => notifyRefusal('Could not export the user', error),
  })
  const [asked, setAsked] = useState<PrivacyKind | undefined>()
  const [suppresses, setSuppresses] = useState(false)
  if (useIsAdministrator() !== true) return null
  const ask = (kind: PrivacyKind) => (): void => {
    request.reset()
    setAsked(kind)
  }
  return (
    <>
      <Button loading={exporting.isPending} onClick={() => exporting.mutate()}>
        <Download aria-hidden />
        Export
      </Button>
      <Button onClick={ask('suppress')}>
        <UserRoundX aria-hidden />
        Suppress
      </Button>
      <Button onClick={ask('delete')}>
        <Trash2 aria-hidden />
        Delete user
      </Button>
      {asked === 'suppress' && (
        <DangerDialog
          title="Suppress user"
          confirmLabel="Suppress"
          mutation={request}
          variables={requestOf(profile, 'suppress')}
          onClosed={() => setAsked(undefined)}
        >
          Later events with any of the identifiers will no longer update this profile. You can lift a suppression under
          Privacy.
        </DangerDialog>
      )}
      {asked === 'delete' && (
        <DangerDialog
          title="Delete user"
          confirmLabel="Delete permanently"
          mutation={request}
          variables={requestOf(profile, suppresses ? 'delete_and_suppress' : 'delete')}
          onDone={() => void navigate(paths.profiles(workspace))}
          onClosed={() => setAsked(undefined)}
        >
          This profile, its traits and history, and the stored events and deliveries of this user will be deleted. This
          can't be undone.
          <label className="mt-3 flex items-start gap-2.5">
            <input
              type="checkbox"
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={suppresses}
              onChange={({ target }) => setSuppresses(target.checked)}
            />
            Also suppress: later events create no profile
          </label>
        </DangerDialog>
      )}
    </>
  )
}
