import { type ComponentProps, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { CopyButton } from '../../ui/code/copy-button.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

/** Shows a new key or token with an example. The key or token cannot be shown again later. */
export const CreatedKeyDialog = ({
  noun,
  text,
  isPublic = false,
  example,
  onClosed,
}: {
  noun: 'key' | 'token'
  text: string
  isPublic?: boolean
  example: ComponentProps<typeof CodeBlock>['codes'][number]
  onClosed: () => void
}) => {
  const [open, setOpen] = useState(true)
  return (
    <Dialog open={open} onClose={() => setOpen(false)} onClosed={onClosed} title={`Save your API ${noun}`}>
      <div className="space-y-4">
        <p className="text-sm text-ink-2">
          {isPublic ? '' : 'Keep it secret. '}It isn't shown again after you close this window.
        </p>
        <p className="flex items-center gap-2 rounded-lg border border-line bg-code px-3 py-2">
          <code className="min-w-0 flex-1 font-mono text-sm break-all">{text}</code>
          <CopyButton text={text} name={`Copy ${noun}`} notice={`API ${noun} copied`} />
        </p>
        <CodeBlock codes={[example]} notice="Example copied" />
        <div className="flex justify-end">
          <Button variant="primary" onClick={() => setOpen(false)}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
