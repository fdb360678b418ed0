import { CloudOff } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { askServer, useReachability, whenBack } from '../../lib/api/reachability.ts'
import { Button } from '../button.tsx'
import { CardSkeleton } from './skeleton.tsx'

const NotLoaded = ({ onRetry }: { onRetry: () => void }) => {
  const away = useReachability(({ state }) => state === 'away')
  return (
    <div role="alert" className="flex flex-col items-center gap-1 px-4 py-12 text-center">
      <CloudOff aria-hidden className="mb-2 size-5 text-ink-2" />
      <h2 className="text-lg font-semibold">Could not load this section</h2>
      <p className="text-sm text-ink-2">
        {away
          ? "The server can't be reached. The rest of the page still works."
          : 'Save your changes, then reload the page to open it.'}
      </p>
      <div className="mt-4 flex gap-2">
        <Button onClick={onRetry}>Retry</Button>
        {!away && (
          <Button variant="primary" onClick={() => window.location.reload()}>
            Reload page
          </Button>
        )}
      </div>
    </div>
  )
}

/**
 * A part of a page whose code is loaded when it is first shown. If that fails, a message replaces the part, and the
 * rest of the page keeps its state and input. The part is loaded again when the server is back, and on request.
 * Chromium remembers a missing file until the page is reloaded. So the part also offers a reload, and never reloads on
 * its own.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  skeleton: ReactNode = <CardSkeleton />,
): ComponentType<Props> => {
  let known: ComponentType<Props> | undefined
  return function LazyPart(props: Props) {
    const [Part, setPart] = useState(() => known)
    const [failed, setFailed] = useState(false)
    const [attempt, setAttempt] = useState(0)
    useEffect(() => {
      if (Part !== undefined) return
      let gone = false
      void load().then(
        (found) => {
          known = found
          if (!gone) setPart(() => found)
        },
        () => {
          void askServer()
          if (!gone) setFailed(true)
        },
      )
      return () => {
        gone = true
      }
    }, [Part, attempt])
    const again = (): void => setAttempt((count) => count + 1)
    useEffect(() => (failed && Part === undefined ? whenBack(again) : undefined), [failed, Part])
    if (Part !== undefined) return <Part {...props} />
    return failed ? <NotLoaded onRetry={again} /> : skeleton
  }
}
