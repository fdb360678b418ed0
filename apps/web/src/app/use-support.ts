import { useConfig } from '../lib/config.ts'
import { showMessenger } from '../lib/integrations/messenger.ts'
import { useSession } from '../lib/people/session.ts'
import { useCurrentUser } from '../lib/workspace.ts'
import { notify } from '../ui/overlays/toast.tsx'

/**
 * Returns a function that opens the support chat or, if no chat is configured, an email to support. Returns undefined
 * if neither is configured.
 */
export const useSupport = (): (() => void) | undefined => {
  const config = useConfig()
  const { user } = useCurrentUser()
  const userHash = useSession((state) => state.intercomToken)
  const mail = config?.links.support_email ?? ''
  const appId = config?.messaging_app_id ?? ''
  if (appId === '') return mail === '' ? undefined : () => window.location.assign(`mailto:${mail}`)
  return () => {
    showMessenger({ appId, userHash, user: user.data }).catch(() =>
      notify(
        'error',
        'The support chat could not be opened',
        mail === '' ? {} : { description: `Write to ${mail} instead.` },
      ),
    )
  }
}
