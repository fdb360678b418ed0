/** A ship's wheel for a stack with a rudder, drawn for this project. */
export const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="10" fill="#2b3a8f"/><g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"><circle cx="24" cy="24" r="9"/><circle cx="24" cy="24" r="2.5" fill="#fff"/><path d="M24 8v13M24 27v13M8 24h13M27 24h13M12.7 12.7l9.2 9.2M26.1 26.1l9.2 9.2M35.3 12.7l-9.2 9.2M21.9 26.1l-9.2 9.2"/></g></svg>'
