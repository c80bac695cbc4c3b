// Sorts tables by a column. A search shows the rows of the last one with all words, which stand in the address, or those in a list
// of numbers (#set-3).
(() => {
  const number = (cell) => parseFloat(cell.querySelector('data')?.value ?? cell.textContent);
  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    const sort = (at, head) => {
      const isNumber = head.className === 'number';
      const down = head.ariaSort === 'ascending' || (isNumber && !head.ariaSort);
      // What has no number comes last.
      const none = down ? -1e9 : 1e9;
      const value = (row) => {
        const n = number(row.cells[at]);
        return Number.isFinite(n) ? n : none;
      };
      const text = (row) => row.cells[at].textContent;
      const compare = (a, b) => (isNumber ? value(a) - value(b) : text(a).localeCompare(text(b)));
      const sorted = [...table.tBodies[0].rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      heads.forEach((other) => other.removeAttribute('aria-sort'));
      head.ariaSort = down ? 'descending' : 'ascending';
      table.tBodies[0].append(...sorted);
    };
    heads.forEach((head, at) => {
      const button = document.createElement('button');
      button.textContent = head.textContent;
      button.onclick = () => sort(at, head);
      head.replaceChildren(button);
    });
  };
  const tables = [...document.querySelectorAll('.sortable')];
  tables.forEach(sortable);
  const find = document.querySelector('.find');
  const table = tables.at(-1);
  if (!table || !find) return;
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const input = find.querySelector('input');
  const listed = (set) => set?.dataset.debates?.split(' ').map((run) => run.split('-').map(Number));
  const show = (set) => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const runs = listed(set);
    const isListed = (n) => !runs || runs.some(([from, to = from]) => !(from > n || n > to));
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !(words.every((word) => texts[i].includes(word)) && isListed(Number(row.cells[0].textContent)));
      shown += !row.hidden;
    });
    const all = runs ? set.firstChild.data + set.children[0].textContent : rows.length;
    find.querySelector('output').textContent = words.length || runs ? `${shown} of ${all}` : '';
  };
  const read = () => {
    const hash = location.hash.slice(1);
    // Other links within the page leave the search as it is.
    if (!/^($|q=|set-)/.test(hash)) return;
    const to = document.getElementById(hash);
    input.value = to ? '' : new URLSearchParams(hash).get('q') ?? '';
    show(to);
    if (listed(to)) find.scrollIntoView();
  };
  input.addEventListener('input', () => {
    const q = input.value ? `#${new URLSearchParams({ q: input.value })}` : location.pathname;
    history.replaceState(null, '', q);
    show();
  });
  addEventListener('hashchange', read);
  find.hidden = false;
  read();
})();
