import type { RefObject } from 'react'

/** The first stop of the Tab key: skips the navigation. */
export const SkipLink = ({ content }: { content: RefObject<HTMLElement | null> }) => (
  <a
    href="#content"
    onClick={(event) => {
      // Does not change the hash of the URL, which the tabs of the page use.
      event.preventDefault()
      content.current?.focus()
    }}
    className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2 focus:shadow-pop"
  >
    Skip to content
  </a>
)
