import { cn } from '../cn.ts'
import { Modal, type ModalProps } from './modal.tsx'

const widths = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-3xl' } as const

export type DialogProps = ModalProps & { size?: keyof typeof widths }

/** A modal window in the center of the page; on a phone it is at the bottom. */
export const Dialog = ({ size = 'md', ...rest }: DialogProps) => (
  <Modal
    {...rest}
    viewportClass="grid grid-cols-[minmax(0,1fr)] place-items-center p-4 max-sm:place-items-end max-sm:p-0"
    popupClass={cn(
      'max-h-[min(48rem,calc(100dvh-2rem))] rounded-xl data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0 max-sm:rounded-b-none',
      widths[size],
    )}
  />
)
