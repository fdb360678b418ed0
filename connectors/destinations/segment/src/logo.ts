/** A call that leaves in two directions, drawn for this project. */
export const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#2f8f6b"/><path d="M26 17h13M26 31h13M10 24h16l-6-6M26 24l-6 6" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>'
