import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../button.tsx'
import { notify } from '../overlays/toast.tsx'

/**
 * Copies text to the clipboard. Returns true on success. If the clipboard is not available (plain http), copies a
 * selection.
 */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.style.position = 'fixed'
    area.style.opacity = '0'
    document.body.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}

/**
 * A button that copies `text` and confirms this. Without `label`, it shows only an icon. `name` names the copied text.
 */
export const CopyButton = ({
  text,
  name,
  label,
  notice,
  size = 'sm',
}: {
  text: string
  name: string
  label?: string
  notice: string
  size?: 'xs' | 'sm' | 'md'
}) => {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  const Icon = copied ? Check : Copy
  const copy = async (): Promise<void> => {
    const done = await copyText(text)
    setCopied(done)
    if (done) notify('success', notice)
    else notify('error', 'Could not copy', { description: 'Select the text and copy it manually.' })
  }
  return (
    <Button
      variant={label === undefined ? 'none' : 'secondary'}
      size={size}
      square={label === undefined}
      aria-label={label === undefined ? name : undefined}
      onClick={() => void copy()}
    >
      <Icon aria-hidden />
      {label}
    </Button>
  )
}
