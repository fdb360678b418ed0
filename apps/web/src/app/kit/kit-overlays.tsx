import { Plus, Settings } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { DraftBar } from '../../ui/forms/draft-bar.tsx'
import { ConfirmDialog, type ConfirmKind, confirmKinds } from '../../ui/overlays/confirm-dialog.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx'
import { SidePanel } from '../../ui/overlays/side-panel.tsx'
import { SlideOver, type SlideOverSize, slideOverSizes } from '../../ui/overlays/slide-over.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { Part } from './part.tsx'

const Questions = () => {
  const [kind, setKind] = useState<ConfirmKind>('danger')
  const [asking, setAsking] = useState(false)
  return (
    <>
      {confirmKinds.map((each) => (
        <Button
          key={each}
          onClick={() => {
            setKind(each)
            setAsking(true)
          }}
        >
          Confirm {each}
        </Button>
      ))}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        onClosed={() => notify('info', 'The question has closed')}
        kind={kind}
        title="Are you sure?"
        confirmLabel="Do it"
        onConfirm={() => setAsking(false)}
      >
        This is what will happen.
      </ConfirmDialog>
    </>
  )
}

const Panels = () => {
  const [open, setOpen] = useState(false)
  const [size, setSize] = useState<SlideOverSize | undefined>()
  return (
    <>
      <Button onClick={() => setOpen(true)}>Dialog</Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="A dialog"
        description="With a description"
        footer={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        Its content scrolls when it is long.
      </Dialog>
      {slideOverSizes.map((each) => (
        <Button key={each} onClick={() => setSize(each)}>
          Panel {each}
        </Button>
      ))}
      <SlideOver
        open={size !== undefined}
        onClose={() => setSize(undefined)}
        {...(size === undefined ? {} : { size })}
        title="A panel"
        description="It comes in from the right."
        footer={<Button onClick={() => setSize(undefined)}>Close</Button>}
      >
        Its content scrolls when it is long.
      </SlideOver>
    </>
  )
}

const Menus = () => (
  <>
    <Menu
      trigger={
        <Button>
          <Settings aria-hidden />
          Menu
        </Button>
      }
    >
      <MenuItem icon={<Plus />}>Add</MenuItem>
      <MenuItem disabled tooltip="Only administrators can do this">
        Disabled
      </MenuItem>
      <MenuSeparator />
      <MenuItem danger>Delete</MenuItem>
    </Menu>
    <Menu trigger={<Button>Long menu</Button>}>
      {Array.from({ length: 30 }, (_, index) => (
        <MenuItem key={index}>Item {index + 1}</MenuItem>
      ))}
    </Menu>
    <Tooltip text="An explanation">
      <Button>Tooltip</Button>
    </Tooltip>
  </>
)

const Draft = () => {
  const [steps, setSteps] = useState(1)
  return (
    <div className="w-full">
      <Button onClick={() => setSteps(steps + 1)}>Change something</Button>
      {steps > 0 && (
        <DraftBar
          of="mappings"
          draft={{ words: `${steps} changes`, canUndo: steps > 1, undo: () => setSteps(steps - 1) }}
          saving={false}
          blocked={false}
          error={steps > 3 ? new Error('That is too much') : null}
          onSave={() => setSteps(0)}
          onDiscard={() => setSteps(0)}
        />
      )}
    </div>
  )
}

const Beside = () => {
  const [open, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const close = (): void => setOpen(false)
  return (
    <div className="flex w-full items-start gap-4">
      <div className="flex-1">
        <Button ref={opener} onClick={() => setOpen(true)}>
          Panel beside
        </Button>
      </div>
      {open && (
        <SidePanel
          onClose={close}
          onKeyDown={({ key }) => key === 'Escape' && close()}
          returnFocus={() => opener.current}
          title="A panel beside its list"
          description="The list stays in use."
          footer={<Button onClick={close}>Close</Button>}
        >
          Its content scrolls when it is long.
        </SidePanel>
      )}
    </div>
  )
}

/** Buttons that open each dialog and panel. */
export const KitWindows = () => (
  <>
    <Panels />
    <Questions />
    <Beside />
  </>
)

/** All kinds of overlays: menus, dialogs, confirmations, panels, notices. */
export const KitOverlays = () => (
  <>
    <Part title="Menus and tooltips">
      <Menus />
    </Part>
    <Part title="Dialogs and panels">
      <KitWindows />
    </Part>
    <Part title="Changes that are not saved">
      <Draft />
    </Part>
    <Part title="Notices">
      <Button onClick={() => notify('success', 'Source Created')}>Success</Button>
      <Button onClick={() => notify('info', 'Your session has been expired, please login again')}>Info</Button>
      <Button onClick={() => notify('warning', 'The plan is nearly used up')}>Warning</Button>
      <Button onClick={() => notify('error', 'Error', { description: 'The store is starting', timeout: false })}>
        Error, stays
      </Button>
    </Part>
  </>
)
