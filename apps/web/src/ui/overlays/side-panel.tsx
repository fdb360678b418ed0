import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { useIsWide } from '../../lib/browser/use-is-wide.ts'
import { Button } from '../button.tsx'
import { SlideOver } from './slide-over.tsx'

type SidePanelProps = {
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  children: ReactNode
  footer: ReactNode
  onKeyDown: (event: KeyboardEvent) => void
  /** Returns the element that gets the focus when the panel closes while the focus is inside. */
  returnFocus: () => HTMLElement | null
}

const Beside = ({ onClose, title, description, children, footer, onKeyDown, returnFocus }: SidePanelProps) => {
  const panel = useRef<HTMLElement>(null)
  const back = useRef(returnFocus)
  const id = useId()
  useEffect(() => {
    back.current = returnFocus
  }, [returnFocus])
  useEffect(() => {
    const element = panel.current
    element?.focus({ preventScroll: true })
    return () => {
      const { activeElement } = document
      if (activeElement === document.body || element?.contains(activeElement) === true)
        back.current()?.focus({ preventScroll: true })
    }
  }, [])
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a dialog hears the keys of its content
    <section
      ref={panel}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it stands in the page and covers nothing
      role="dialog"
      aria-modal={false}
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="sticky top-4 flex max-h-[calc(100dvh-2rem)] w-[min(28rem,50%)] shrink-0 flex-col rounded-lg border border-line bg-surface shadow-card outline-none"
    >
      <header className="flex items-start gap-4 px-5 pt-4 pb-3">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="text-lg font-semibold break-words">
            {title}
          </h2>
          {description !== undefined && <div className="mt-0.5 text-sm text-ink-2">{description}</div>}
        </div>
        <Button variant="none" size="sm" square aria-label="Close dialog" className="-mr-1.5" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto scroll-thin px-5 pb-4">{children}</div>
      <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
    </section>
  )
}

/**
 * A dialog about one row of a list. In a wide window it is beside the list, which stays usable; otherwise it covers the
 * page. It takes the focus when it opens. Beside the list, the element around both closes it on Escape.
 */
export const SidePanel = (props: SidePanelProps) => {
  const { returnFocus, ...rest } = props
  return useIsWide() ? <Beside {...props} /> : <SlideOver open size="full" returnFocus={returnFocus} {...rest} />
}
