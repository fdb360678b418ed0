import { type ComponentType, useEffect, useState } from 'react'
import { doubtServer } from '../../lib/api/reachability.ts'
import { notify } from './toast.tsx'

type Opened = { open: boolean; onClose: () => void }

/**
 * A window whose code is loaded when it is first opened. If that fails, the window closes and a notice reports it; the
 * page keeps its state and input. `title` is that of the notice, such as `Could not open the invitation`.
 */
export const lazyDialog = <Props extends Opened>(
  title: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> =>
  function LazyDialog(props: Props) {
    const { open, onClose } = props
    const [Dialog, setDialog] = useState<ComponentType<Props>>()
    const wanted = open && Dialog === undefined
    useEffect(() => {
      if (!wanted) return
      let gone = false
      void load().then(
        (found) => {
          if (!gone) setDialog(() => found)
        },
        () => {
          doubtServer()
          if (gone) return
          onClose()
          notify('error', title, {
            description: 'Check your connection, reload the page, and try again.',
            timeout: 10_000,
          })
        },
      )
      return () => {
        gone = true
      }
    }, [wanted, onClose])
    return Dialog === undefined ? null : <Dialog {...props} />
  }
