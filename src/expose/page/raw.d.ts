/** The text of a file. The build puts it into the program, as Vite does for tests. */
declare module '*?raw' {
  const text: string;
  export default text;
}
