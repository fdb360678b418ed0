import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Button } from './button.tsx'

/** A button that shows only an icon, with a name for screen readers. */
export const IconButton = ({
  label,
  icon: Icon,
  ...props
}: Omit<ComponentProps<typeof Button>, 'children' | 'aria-label' | 'square' | 'variant'> & {
  label: string
  icon: LucideIcon
}) => (
  <Button variant="none" square aria-label={label} {...props}>
    <Icon aria-hidden />
  </Button>
)
