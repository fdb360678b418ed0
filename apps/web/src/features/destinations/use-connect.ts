import { useQueryClient } from '@tanstack/react-query'
import type { Destination } from '@tributary/contract'
import { useEffect, useRef, useState } from 'react'
import { failureText } from '../../lib/api/errors.ts'
import { askForConsent } from '../../lib/browser/consent.ts'
import { onConnected } from '../../lib/browser/grant-channel.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { destinationQuery } from '../../lib/queries/workspace-queries.ts'
import { notify } from '../../ui/overlays/toast.tsx'

export type Connecting = {
  /** True while the popup is open. */
  asking: boolean
  /** The consent URL for a manual link, if the browser blocks popups. */
  link: string | undefined
  /** Opens the consent page in a popup; call it in the handler of a click. */
  begin: () => void
}

/** Requests the OAuth grant of a destination. Shows its success even if the user grants access in another window. */
export const useConnect = ({ name, title }: Pick<Destination, 'name' | 'title'>): Connecting => {
  const cache = useQueryClient()
  const [popup, setPopup] = useState<Window>()
  const [link, setLink] = useState<string>()
  // Several components can listen. Only the one that started the connection reports its success.
  const begun = useRef(false)
  useEffect(
    () =>
      onConnected((destination) => {
        if (destination !== name) return
        setPopup(undefined)
        setLink(undefined)
        void cache.invalidateQueries({ queryKey: destinationQuery(name).queryKey })
        if (!begun.current) return
        begun.current = false
        track('Destination Updated', { destination: name, fields: ['grant'] })
        notify('success', 'Destination Connected', { description: `Events go to ${title} from now on.` })
      }),
    [cache, name, title],
  )
  // When the popup is closed, or appears closed because the vendor isolates its page, the waiting ends. The grant can
  // still succeed.
  useEffect(() => {
    if (popup === undefined) return
    const timer = setInterval(() => {
      if (popup.closed) setPopup(undefined)
    }, 500)
    return () => clearInterval(timer)
  }, [popup])
  const begin = async (): Promise<void> => {
    // The popup must open during the click: browsers block one that opens later.
    const opened = window.open('', '', 'popup,width=600,height=760')
    begun.current = true
    if (opened !== null) setPopup(opened)
    setLink(undefined)
    try {
      const address = await askForConsent(name)
      if (opened === null) setLink(address)
      else if (!opened.closed) opened.location.href = address
    } catch (error) {
      opened?.close()
      setPopup(undefined)
      notify('error', 'Could not connect', { description: failureText(error) })
    }
  }
  return { asking: popup !== undefined, link, begin: () => void begin() }
}
