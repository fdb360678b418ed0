import { Dialog } from '@base-ui/react/dialog'
import { Menu as MenuIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'

/** The bar above the page of a narrow screen; its button opens the navigation over the page. */
export const MobileBar = ({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) => {
  const [open, setOpen] = useState(false)
  return (
    <header className="sticky top-(--away) z-20 flex h-12 items-center gap-2 border-b border-line bg-canvas px-2 md:hidden">
      <Button variant="none" square aria-label="Open navigation" onClick={() => setOpen(true)}>
        <MenuIcon aria-hidden />
      </Button>
      <span className="min-w-0 flex-1 truncate font-semibold">{title}</span>
      {action}
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
          <Dialog.Popup
            aria-label="Navigation"
            className="fixed inset-y-0 left-0 z-30 w-56 bg-canvas shadow-dialog transition-transform duration-150 outline-none data-ending-style:-translate-x-full data-starting-style:-translate-x-full"
          >
            {children}
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </header>
  )
}
