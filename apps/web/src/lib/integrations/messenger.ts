import type { User } from '@tributary/contract'

/** Pixels between the customer-messaging widget and the edges of the window. */
export const messengerPadding = 32

/** The start options of the widget; `userHash` proves the user's identity to it. */
export const messengerOptions = ({
  appId,
  userHash,
  user,
}: {
  appId: string
  userHash: string | null
  user: User | undefined
}) => ({
  app_id: appId,
  hide_default_launcher: true,
  vertical_padding: messengerPadding,
  horizontal_padding: messengerPadding,
  ...(user === undefined
    ? {}
    : { user_id: user.id, email: user.email, name: `${user.first_name} ${user.last_name}`.trim() }),
  ...(userHash === null || userHash === '' ? {} : { user_hash: userHash }),
})

type Messenger = (command: 'boot' | 'show' | 'shutdown', options?: ReturnType<typeof messengerOptions>) => void

const messenger = (): Messenger | undefined => {
  const found: unknown = Reflect.get(window, 'Intercom')
  return typeof found === 'function' ? (found as Messenger) : undefined
}

let loading: Promise<void> | undefined

const load = (appId: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `https://widget.intercom.io/widget/${encodeURIComponent(appId)}`
    script.async = true
    script.onload = () => resolve()
    script.onerror = () => {
      script.remove()
      loading = undefined
      reject(new Error('Could not load the support chat'))
    }
    document.head.append(script)
  })

/** Opens the messaging widget; loads it on first use. Throws if it cannot be loaded. */
export const showMessenger = async (who: Parameters<typeof messengerOptions>[0]): Promise<void> => {
  loading ??= load(who.appId)
  await loading
  const talk = messenger()
  if (talk === undefined) throw new Error('The support chat did not start')
  talk('boot', messengerOptions(who))
  talk('show')
}

/** Ends the session of the widget when that of the user ends. Does nothing if the widget was never opened. */
export const endMessenger = (): void => messenger()?.('shutdown')
