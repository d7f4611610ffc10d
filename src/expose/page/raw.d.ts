/** An import with `?raw` is the text of the file: the build puts it into the program, as Vite does for tests. */
declare module '*?raw' {
  const text: string;
  export default text;
}
