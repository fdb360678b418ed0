import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Button } from '../button.tsx'
import { cn } from '../cn.ts'

export type ModalProps = {
  open: boolean
  onClose: () => void
  /** Runs when the closing animation is over. */
  onClosed?: () => void
  title: ReactNode
  description?: ReactNode
  children?: ReactNode
  footer?: ReactNode
  /** Hides the close button in the corner, for a question that needs an answer. */
  plain?: boolean
  /**
   * Returns the element that gets the focus when the window closes. By default, it is the element that had the focus
   * before.
   */
  returnFocus?: () => HTMLElement | null
  onKeyDown?: (event: KeyboardEvent) => void
}

/**
 * The common part of dialogs and panels. It covers the page, keeps the focus inside, and closes on Escape and on a
 * click outside. Its content scrolls between head and foot. The caller decides position and size. A dialog that opens
 * from inside replaces it until that dialog closes: two never overlap.
 */
export const Modal = ({
  open,
  onClose,
  onClosed,
  title,
  description,
  children,
  footer,
  plain = false,
  returnFocus,
  onKeyDown,
  viewportClass,
  popupClass,
}: ModalProps & { viewportClass: string; popupClass: string }) => (
  <Base.Root
    open={open}
    onOpenChange={(next) => {
      if (!next) onClose()
    }}
    onOpenChangeComplete={(next) => {
      if (!next) onClosed?.()
    }}
  >
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-overlay transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
      <Base.Viewport className={cn('fixed inset-0 z-40', viewportClass)}>
        <Base.Popup
          onKeyDown={onKeyDown}
          {...(returnFocus === undefined ? {} : { finalFocus: returnFocus })}
          className={cn(
            'flex w-full min-w-0 flex-col bg-raised shadow-dialog transition duration-150 outline-none data-nested-dialog-open:invisible',
            popupClass,
          )}
        >
          <header className="flex items-start gap-4 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-lg font-semibold break-words">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description render={<div />} className="mt-0.5 text-sm text-ink-2">
                  {description}
                </Base.Description>
              )}
            </div>
            {!plain && (
              <Base.Close
                render={
                  <Button variant="none" size="sm" square aria-label="Close dialog" className="-mr-1.5">
                    <X aria-hidden />
                  </Button>
                }
              />
            )}
          </header>
          {children !== undefined && (
            <div className="min-h-0 flex-1 overflow-y-auto scroll-thin px-5 pb-4">{children}</div>
          )}
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
          )}
        </Base.Popup>
      </Base.Viewport>
    </Base.Portal>
  </Base.Root>
)
